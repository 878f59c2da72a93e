/** Mood over time. Loaded only when it is shown. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { resolveColor } from '../../ui/color.ts';
import { useFormat, useWords } from '../../words/words.tsx';
import { moodCurve, type Day } from './periods.ts';

const HEIGHT = 150;

export default function MoodChart({ days }: { readonly days: readonly Day[] }) {
  const w = useWords();
  const f = useFormat();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const { at, valence } = moodCurve(days);
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name);
    const probe = (name: string) => resolveColor(color(name));
    const axis = {
      stroke: probe('--faint'),
      grid: { stroke: probe('--line'), width: 1 },
      ticks: { show: false },
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: [-1, 1] } },
        axes: [
          { ...axis, values: (_, splits) => splits.map((seconds) => f.shortDay(seconds * 1_000)) },
          { ...axis, size: 12, splits: () => [0], values: () => [''] },
        ],
        series: [
          {},
          {
            stroke: probe('--accent'),
            width: 2,
            spanGaps: true,
            points: { show: at.length < 40, size: 5 },
            fill: probe('--tint'),
            fillTo: 0,
          },
        ],
      },
      [at, valence],
      element,
    );
    const resizing = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      chart.destroy();
    };
  }, [days, f]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`${w.timeline.mood}. ${w.timeline.moodAbout}`}
      className="min-w-0 overflow-hidden"
    />
  );
}
