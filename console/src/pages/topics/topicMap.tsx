import { ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { feelingColor, valenceOf } from '../../ui/feeling.tsx';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';
import { layOut, type Circle } from './layout.ts';
import type { PlacedTopic } from './topics.tsx';

interface TopicMapProps {
  readonly items: readonly PlacedTopic[];
  readonly onOpen: (topicId: number) => void;
}

const AREA = { width: 1_200, height: 760 };
const FONT = 19;
const MAX_ZOOM = 8;
/** Minimum radius for a label. */
const MIN_LABELLED = 32;
/** Maximum number of circles in the tab order; all are in the list. */
const MAX_FOCUSABLE = 60;

interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export function TopicMap({ items, onOpen }: TopicMapProps) {
  const w = useWords();
  const circles = useMemo(() => layOut(items, AREA), [items]);
  const [view, setView] = useState<View>({ x: 0, y: 0, zoom: 1 });
  const width = AREA.width / view.zoom;
  const height = AREA.height / view.zoom;
  const zoomBy = (factor: number) => setView((before) => zoomed(before, factor));
  const drag = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1 || view.zoom === 1) return;
    const scale = width / event.currentTarget.clientWidth;
    setView((before) =>
      within({ ...before, x: before.x - event.movementX * scale, y: before.y - event.movementY * scale }),
    );
  };
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-3 text-sm text-soft">
        <p className="min-w-0 flex-1 basis-60">{w.topics.mapAbout}</p>
        <span className="flex items-center gap-2 text-faint" aria-hidden>
          {w.topics.cool}
          <span
            className="h-2 w-24 rounded-full"
            style={{ background: 'linear-gradient(to right, var(--heavy), var(--calm), var(--light))' }}
          />
          {w.topics.warm}
        </span>
        <IconButton
          label={w.topics.zoomOut}
          icon={ZoomOut}
          disabled={view.zoom <= 1}
          onClick={() => zoomBy(1 / 1.6)}
        />
        <IconButton
          label={w.topics.zoomIn}
          icon={ZoomIn}
          disabled={view.zoom >= MAX_ZOOM}
          onClick={() => zoomBy(1.6)}
        />
      </div>
      <svg
        role="group"
        aria-label={w.topics.asMap}
        viewBox={`${view.x} ${view.y} ${width} ${height}`}
        className="mx-auto block aspect-[120/76] max-h-[calc(100dvh-13rem)] w-full touch-pan-y rounded-2xl border border-line bg-card"
        onPointerMove={drag}
      >
        {circles.map((circle, i) => (
          <TopicCircle
            key={circle.item.topic.id}
            circle={circle}
            zoom={view.zoom}
            isFocusable={i < MAX_FOCUSABLE}
            onOpen={onOpen}
          />
        ))}
      </svg>
    </div>
  );
}

interface TopicCircleProps {
  readonly circle: Circle;
  readonly zoom: number;
  readonly isFocusable: boolean;
  readonly onOpen: (topicId: number) => void;
}

function TopicCircle({ circle: { item, x, y, r }, zoom, isFocusable, onOpen }: TopicCircleProps) {
  const { topic } = item;
  const open = () => onOpen(topic.id);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    open();
  };
  const color = feelingColor(valenceOf(topic.centroidEmotion));
  const isLabelled = r * zoom >= MIN_LABELLED;
  return (
    <g
      role="button"
      tabIndex={isFocusable ? 0 : -1}
      aria-label={topic.title}
      onClick={open}
      onKeyDown={onKeyDown}
      className="cursor-pointer outline-none [&:focus-visible>circle]:stroke-accent [&:hover>circle]:stroke-accent"
    >
      <title>{topic.title}</title>
      <circle cx={x} cy={y} r={r} fill={color} fillOpacity={0.45} stroke={color} strokeWidth={2 / zoom} />
      {isLabelled &&
        linesOf(topic.title, r, zoom).map((line, i, lines) => (
          <text
            key={line + String(i)}
            x={x}
            y={y + (i - (lines.length - 1) / 2) * ((1.25 * FONT) / zoom)}
            lang={languageOf(topic.title)}
            textAnchor="middle"
            dominantBaseline="central"
            fontSize={FONT / zoom}
            className="pointer-events-none fill-ink font-serif"
          >
            {line}
          </text>
        ))}
    </g>
  );
}

const MAX_LINES = 3;

/** The title, wrapped to fit into the circle. */
function linesOf(title: string, r: number, zoom: number): string[] {
  const room = (1.75 * r * zoom) / FONT;
  const lines: string[] = [''];
  const pieces = languageOf(title) === 'en' ? title.split(/(?<= )/) : Array.from(title);
  let used = 0;
  for (const piece of pieces) {
    const width = Array.from(piece).reduce((sum, sign) => sum + (sign.charCodeAt(0) > 0x2e80 ? 1 : 0.52), 0);
    if (used + width > room && used > 0) {
      if (lines.length === MAX_LINES) {
        lines[MAX_LINES - 1] = `${(lines[MAX_LINES - 1] ?? '').trimEnd()}…`;
        return lines;
      }
      lines.push('');
      used = 0;
    }
    lines[lines.length - 1] += piece;
    used += width;
  }
  return lines;
}

/** Zooms around the middle of the view. */
function zoomed({ x, y, zoom }: View, factor: number): View {
  const next = Math.min(MAX_ZOOM, Math.max(1, zoom * factor));
  const shift = (length: number) => (length / zoom - length / next) / 2;
  return within({ x: x + shift(AREA.width), y: y + shift(AREA.height), zoom: next });
}

function within({ x, y, zoom }: View): View {
  const clamp = (value: number, length: number) => Math.min(length - length / zoom, Math.max(0, value));
  return { x: clamp(x, AREA.width), y: clamp(y, AREA.height), zoom };
}
