/** The types that callers get for an expression of time. */
import { DAY, dateAt, formatInstant, lengthOf } from './calendar.ts';
import type { Unit } from './calendar.ts';
import type { Edge } from './chart.ts';
import { grainOfTime, offsetsOf } from './clock.ts';
import { finestUnit } from './compose.ts';
import { PARTS, clockTimex, dateTimex, readings } from './value.ts';
import type {
  Context,
  DateNode,
  DurationNode,
  Grain,
  PartNode,
  Span,
  TimeNode,
  TimesNode,
  WhenNode,
} from './value.ts';

/** A range of local wall-clock time, as ISO strings without zone; `to` is exclusive. A missing end is open. */
export interface Interval {
  from: string | null;
  to: string | null;
}

export type TimeType =
  | 'date'
  | 'datetime'
  | 'daterange'
  | 'datetimerange'
  | 'time'
  | 'timerange'
  | 'duration'
  | 'set';

/** One expression of time found in a text. */
export interface TimeMention extends Interval {
  text: string;
  /** UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
  type: TimeType;
  /** TIMEX3, with X for unspecified parts. */
  timex: string;
  /** Further readings, e.g. the past and the future 'Friday', or 3 o'clock before and after noon. */
  alternatives: Interval[];
  /** The wording itself is vague: 'recently', 'early May', 'a few days ago'. */
  vague: boolean;
  grain: Grain;
  /** The range to search for what is meant: the interval, widened where people are imprecise ('two weeks ago'). */
  window: Interval;
}

/** The mention for an edge; null when it names no time that exists. */
export function mentionOf(
  edge: Edge,
  original: string,
  context: Context,
  excludeEnd: boolean,
): TimeMention | null {
  const { start, end, node } = edge;
  const place = { text: original.slice(start, end), start, end };
  const none = { from: null, to: null, alternatives: [], window: { from: null, to: null } };
  switch (node?.kind) {
    case 'DATE': {
      const spans = readings(node, context);
      if (spans.length === 0 || !spans.every(isWritable)) return null;
      const type = node.grain === 'day' && isOneDay(spans[0]) && !node.closed ? 'date' : 'daterange';
      return { ...place, type, timex: dateTimex(node, context), ...meaning(node, spans, excludeEnd) };
    }
    case 'WHEN':
      if (!node.spans.every(isWritable)) return null;
      return {
        ...place,
        type: node.point ? 'datetime' : 'datetimerange',
        timex: node.timex || pointTimex(node),
        ...meaning(node, node.spans, excludeEnd),
      };
    case 'TIME':
    case 'TIMES':
    case 'PART':
      return {
        ...place,
        ...none,
        type: node.kind === 'TIME' ? 'time' : 'timerange',
        timex: dailyTimex(node),
        vague: node.kind === 'PART',
        grain: node.kind === 'PART' ? 'part-of-day' : node.kind === 'TIME' ? grainOfTime(node) : 'hour',
      };
    case 'DUR':
      return { ...place, ...none, type: 'duration', ...lengthOfTime(node) };
    case 'SET':
      return { ...place, ...none, type: 'set', timex: node.timex, vague: false, grain: node.grain };
    default:
      return null;
  }
}

function dailyTimex(node: TimeNode | TimesNode | PartNode): string {
  if (node.kind === 'PART') return PARTS[node.part].code;
  return node.kind === 'TIMES' ? node.timex : clockTimex(offsetsOf(node)[0] ?? 0, grainOfTime(node));
}

const UNIT_CODES: Partial<Record<Unit, [code: string, factor: number]>> = {
  second: ['S', 1],
  minute: ['M', 1],
  hour: ['H', 1],
  week: ['W', 1],
  fortnight: ['W', 2],
  month: ['M', 1],
  quarter: ['M', 3],
  halfyear: ['M', 6],
  year: ['Y', 1],
  decade: ['Y', 10],
  century: ['Y', 100],
};

/** `P1Y6M`, `PT90M`: weekends and working days are converted to days. */
function lengthOfTime(node: DurationNode): { timex: string; vague: boolean; grain: Grain } {
  const part = (clock: boolean) =>
    node.amounts
      .filter(({ unit }) => lengthOf(unit) < DAY === clock)
      .toSorted((a, b) => lengthOf(b.unit) - lengthOf(a.unit))
      .map(({ count, unit }) => `${count * (UNIT_CODES[unit]?.[1] ?? 1)}${UNIT_CODES[unit]?.[0] ?? 'D'}`)
      .join('');
  const clock = part(true);
  const finest = finestUnit(node);
  const grain = finest === 'businessday' ? 'day' : finest === 'fortnight' ? 'week' : finest;
  return { timex: `P${part(false)}${clock ? `T${clock}` : ''}`, vague: node.vague === true, grain };
}

/** Only years of four digits: others have no ISO form that sorts correctly. */
const isWritable = ({ from, to }: Span): boolean =>
  [from, to].every((at) => at === null || (at >= dateAt(1) && at < dateAt(9999)));

const isOneDay = (span: Span | undefined): boolean =>
  span !== undefined && span.from !== null && span.to !== null && span.to - span.from === DAY;

const pointTimex = ({ spans, point }: WhenNode): string => {
  const [first] = spans;
  if (first === undefined || first.from === null) return '';
  const from = formatInstant(first.from);
  if (!point) return `(${from},${first.to === null ? '' : formatInstant(first.to)})`;
  return from;
};

function meaning(node: DateNode | WhenNode, spans: Span[], excludeEnd: boolean) {
  const seen = new Set<string>();
  const intervals = spans
    .map((span) => interval(span, excludeEnd))
    .filter((one) => {
      const key = `${one.from}/${one.to}`;
      return !seen.has(key) && seen.add(key);
    });
  const [first = { from: null, to: null }, ...alternatives] = intervals;
  const [before, after] = node.slack ?? [0, 0];
  const [span] = spans;
  const window = {
    from: span === undefined || span.from === null ? null : formatInstant(span.from - before),
    to: span === undefined || span.to === null ? null : formatInstant(span.to + after),
  };
  return { ...first, alternatives, window, vague: node.vague === true, grain: node.grain };
}

function interval({ from, to, last }: Span, excludeEnd: boolean): Interval {
  const end = excludeEnd && last !== undefined ? last : to;
  return { from: from === null ? null : formatInstant(from), to: end === null ? null : formatInstant(end) };
}
