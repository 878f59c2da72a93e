/** Formats hits for a terminal. */
import { localDate, type Hit, type RecallResult } from '../engine/engine.ts';
import { displayWidth, padEnd } from '../text/text.ts';
import { countOf, plain, style, wrapped } from './terminal.ts';

const MARKS = {
  high: { sign: '●', format: 'green' },
  medium: { sign: '◐', format: 'yellow' },
  low: { sign: '○', format: 'dim' },
} as const;

export const TEXT_INDENT = '     ';
const MAX_TEXT_LINES = 8;

export interface HitStyle {
  readonly timeZone: string;
  /** Whether to show the parts of the score. */
  readonly explain?: boolean;
  /** The most lines of a text; default 8. */
  readonly maxLines?: number;
}

/** One hit: rank, relevance, date and speaker; the text; the reason. */
export function formatHit(hit: Hit, rank: number, hitStyle: HitStyle): string[] {
  const { sign, format } = MARKS[hit.relevance];
  const who = hit.speaker === null ? hit.kind : plain(hit.speaker);
  const head = [
    `${String(rank).padStart(3)}  ${style(format, padEnd(`${sign} ${hit.relevance}`, 8))}`,
    localDate(Date.parse(hit.occurredAt), hitStyle.timeZone),
    style('bold', who),
    ...(hitStyle.explain ? [style('dim', `score ${hit.score.toFixed(2)} · unit ${hit.unitId}`)] : []),
  ];
  return [
    head.join('  '),
    ...wrapped(shownOf(hit), TEXT_INDENT, hitStyle.maxLines ?? MAX_TEXT_LINES),
    ...formatReason(hit.why.sentence),
    ...(hitStyle.explain ? formatContributions(hit.why.contributions) : []),
  ];
}

/** Of a long text the passage that answers, with `…` where text is omitted. */
function shownOf({ text, passage }: Hit): string {
  return `${passage.from > 0 ? '…' : ''}${passage.text.trim()}${passage.to < text.length ? '…' : ''}`;
}

export function formatReason(sentence: string): string[] {
  const [first = '', ...rest] = wrapped(sentence, `${TEXT_INDENT}  `);
  const lines = [`${TEXT_INDENT}→ ${first.trimStart()}`, ...rest];
  return lines.map((line) => style('cyan', line));
}

const BAR_CELLS = 24;
/** A smaller contribution would be 0.00 in two decimals. */
const MIN_SHOWN = 0.005;

/** A bar for each contribution, with its length relative to the largest. */
function formatContributions(contributions: Hit['why']['contributions']): string[] {
  const shown = contributions.filter(({ contribution }) => Math.abs(contribution) >= MIN_SHOWN);
  const largest = Math.max(...shown.map(({ contribution }) => Math.abs(contribution)));
  const nameWidth = Math.max(...shown.map(({ feature }) => displayWidth(feature)));
  return shown.map(({ feature, value, weight, contribution }) => {
    const cells = Math.max(1, Math.round((Math.abs(contribution) / largest) * BAR_CELLS));
    const bar = style(
      contribution < 0 ? 'red' : 'green',
      padEnd((contribution < 0 ? '▒' : '█').repeat(cells), BAR_CELLS),
    );
    const sum = `${signed(contribution)} = ${value.toFixed(3)} × ${weight.toFixed(2)}`.replaceAll('-', '−');
    return `${TEXT_INDENT}${padEnd(feature, nameWidth)}  ${bar} ${style('dim', sum)}`;
  });
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}

/** Whether the hits are relevant enough for the prompt, and how long the search took. */
export function formatVerdict({ hits, inject, metadata }: RecallResult): string {
  const found = countOf(hits.length, 'hit');
  let verdict = hits.length === 0 ? 'Nothing is recalled.' : `${found}, none relevant enough for the prompt.`;
  if (inject) verdict = `${found}, relevant enough for the prompt.`;
  return style('dim', `${verdict} ${metadata.totalLatencyMs.toFixed(1)} ms`);
}

export function formatWork({ metadata }: RecallResult, timeZone: string): string[] {
  const { intent, breakdown } = metadata;
  const stages = Object.entries(breakdown).map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`);
  const range = intent.timeRange;
  const day = (instant: number) => localDate(instant, timeZone);
  const lines = [
    `strategy ${metadata.strategyUsed}, profile ${metadata.profile}, vectors ${metadata.vectors}, ` +
      `${metadata.candidatesBefore} candidates before, ${metadata.candidatesAfter} after, ${metadata.totalTokens} tokens`,
    `intent ${intent.queryType} (${intent.language}): ${intent.keywords.join(' ')}`,
    ...(range ? [`time “${range.words}”: ${day(range.from)} to ${day(range.to - 1)}`] : []),
    `ms: ${stages.join(', ')}`,
  ];
  return lines.flatMap((line) => wrapped(line, '')).map((line) => style('dim', line));
}
