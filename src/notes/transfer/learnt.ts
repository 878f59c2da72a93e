/** Formats units learnt from conversations as Markdown lists. */
import { localDate, type Instant, type UnitOf } from '../../model/model.ts';

export type LearntUnit = UnitOf<'fact' | 'loop' | 'summary'>;

/** Texts by uri: `learnt/facts.md`, `learnt/loops.md`, `learnt/summaries.md`; only non-empty ones. */
export function formatLearnt(units: readonly LearntUnit[], timeZone: string): Map<string, string> {
  const day = (at: Instant | null) => (at === null ? '' : localDate(at, timeZone));
  const texts = new Map<string, string>();
  const add = (name: string, title: string, entries: readonly Entry[]) => {
    if (entries.length > 0) texts.set(`learnt/${name}.md`, formatList(title, entries));
  };
  const of = <K extends LearntUnit['kind']>(kind: K) =>
    units.filter((unit): unit is UnitOf<K> => unit.kind === kind);
  add(
    'facts',
    'Facts',
    of('fact').map(({ payload: { subject, predicate, object, validFrom, validTo } }) => ({
      heading: subject,
      text: `${predicate}: ${object}${formatSpan(day(validFrom), day(validTo))}`,
    })),
  );
  add(
    'loops',
    'Open loops',
    of('loop').map(({ payload: { text, dueAt, status } }) => ({
      heading: null,
      text: `[${status === 'open' ? ' ' : 'x'}] ${text}${dueAt === null ? '' : ` (due ${day(dueAt)})`}${status === 'dropped' ? ' (dropped)' : ''}`,
    })),
  );
  add(
    'summaries',
    'Summaries',
    of('summary').map(({ payload: { scope, scopeKey, range, text } }) => ({
      heading: scopeKey === '' ? scope : `${scope}: ${scopeKey}`,
      text: `${text}${formatSpan(day(range?.from ?? null), day(range?.to ?? null))}`,
    })),
  );
  return texts;
}

interface Entry {
  readonly heading: string | null;
  readonly text: string;
}

function formatSpan(from: string, to: string): string {
  if (from === '' && to === '') return '';
  return ` (${from || '?'} – ${to})`.replace(' – )', ' –)');
}

function formatList(title: string, entries: readonly Entry[]): string {
  const headings = [...new Set(entries.map(({ heading }) => heading))];
  const blocks = headings.map((heading) => {
    const items = entries.filter((entry) => entry.heading === heading).map(({ text }) => `- ${indent(text)}`);
    return [...(heading === null ? [] : [`## ${heading.replaceAll(/\s+/g, ' ')}`, '']), ...items].join('\n');
  });
  return [`# ${title}`, ...blocks].join('\n\n').concat('\n');
}

/** Indents further lines, so that they are part of the item. */
function indent(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, '\n  ');
}
