import { useFormat, useWords } from '../../words/words.tsx';

interface LatencyProps {
  readonly breakdown: Readonly<Record<string, number>>;
  readonly totalMs: number;
}

const MIN_MS = 0.05;

/** The stages in order, with a width proportional to their time. */
export function Latency({ breakdown, totalMs }: LatencyProps) {
  const w = useWords();
  const f = useFormat();
  const stages = Object.entries(breakdown).filter(([, ms]) => ms >= MIN_MS);
  const max = Math.max(...stages.map(([, ms]) => ms), MIN_MS);
  const names: Readonly<Record<string, string>> = w.trace.stages;
  return (
    <table className="w-full text-sm">
      <tbody>
        {stages.map(([stage, ms]) => (
          <tr key={stage}>
            <th scope="row" className="w-40 py-0.5 pr-3 text-left font-normal text-soft">
              {names[stage] ?? stage}
            </th>
            <td>
              <span
                className="block h-1.5 min-w-px rounded-full bg-accent/70"
                style={{ width: `${(100 * ms) / max}%` }}
              />
            </td>
            <td className="w-20 text-right tabular-nums">{f.ms(ms)}</td>
          </tr>
        ))}
        <tr className="font-medium">
          <th scope="row" className="pt-1 text-left font-medium">
            {w.trace.total}
          </th>
          <td />
          <td className="text-right tabular-nums">{f.ms(totalMs)}</td>
        </tr>
      </tbody>
    </table>
  );
}
