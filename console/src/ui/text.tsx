/** Text of turns and memories, and times. */
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { languageOf } from '../words/language.ts';
import { useFormat } from '../words/words.tsx';

export function Remembered({
  text,
  className,
  lines,
}: {
  readonly text: string;
  readonly className?: string;
  /** Maximum number of lines shown. */
  readonly lines?: 2 | 3 | 6;
}) {
  const clamp = lines && { 2: 'line-clamp-2', 3: 'line-clamp-3', 6: 'line-clamp-6' }[lines];
  return (
    <p lang={languageOf(text)} className={clsx('remembered whitespace-pre-line', clamp, className)}>
      {text}
    </p>
  );
}

/** An instant, in milliseconds or as ISO 8601. */
export function When({
  at,
  with: detail = 'day',
}: {
  readonly at: number | string;
  readonly with?: 'day' | 'time';
}) {
  const f = useFormat();
  const instant = new Date(at);
  return (
    <time
      dateTime={instant.toISOString()}
      title={f.dateTime(instant)}
      className="whitespace-nowrap tabular-nums"
    >
      {detail === 'time' ? f.dateTime(instant) : f.day(instant)}
    </time>
  );
}

type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad';
const TONES: Readonly<Record<Tone, string>> = {
  plain: 'bg-sunken text-soft',
  accent: 'bg-tint text-accent',
  good: 'text-good border border-good/40',
  warn: 'text-warn border border-warn/40',
  bad: 'text-bad border border-bad/40',
};

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 text-xs leading-snug whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="rounded border border-line bg-paper px-1.5 py-0.5 font-sans text-[0.7rem] text-faint">
      {children}
    </kbd>
  );
}
