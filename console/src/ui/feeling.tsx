/** Emotion: the strongest ones in words, and one number from negative to positive. */
import type { Answer } from '../api/api.ts';
import { useWords } from '../words/words.tsx';
import { Badge } from './text.tsx';

export type Emotion = NonNullable<Answer<'readTopic'>['centroidEmotion']>;
type Key = keyof Emotion['values'];

const HEAVY: ReadonlySet<string> = new Set<Key>(['conflict', 'anxiety', 'sadness', 'anger']);
const SHOWN = 3;
/** Weaker ones are not shown. */
const MIN_SHOWN = 0.05;

/** −1, negative, to 1, positive; null if unknown. */
export function valenceOf(emotion: Emotion | null): number | null {
  if (!emotion) return null;
  const values = Object.entries(emotion.values);
  if (values.length === 0) return null;
  const [light, heavy] = [true, false].map((isLight) =>
    Math.max(0, ...values.filter(([key]) => HEAVY.has(key) !== isLight).map(([, value]) => value)),
  );
  return Math.max(-1, Math.min(1, (light ?? 0) - (heavy ?? 0)));
}

/** From negative (violet) over neutral (sand) to positive (amber), readable in both themes. */
export function feelingColor(valence: number | null): string {
  if (valence === null) return 'var(--line-strong)';
  const share = Math.round(Math.abs(valence) ** 0.45 * 100);
  return `color-mix(in oklab, ${valence > 0 ? 'var(--light)' : 'var(--heavy)'} ${share}%, var(--calm))`;
}

export function Feelings({ emotion }: { readonly emotion: Emotion | null }) {
  const w = useWords();
  const shown = Object.entries(emotion?.values ?? {})
    .filter(([, value]) => value >= MIN_SHOWN)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN);
  if (shown.length === 0) return <span className="text-sm text-faint">{w.timeline.unsure}</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <span
        aria-hidden
        className="size-2.5 rounded-full"
        style={{ background: feelingColor(valenceOf(emotion)) }}
      />
      {shown.map(([key]) => (
        <Badge key={key}>{w.emotions[key as Key]}</Badge>
      ))}
    </span>
  );
}
