/**
 * Expressions of time in Japanese, Chinese and English, and the intervals they mean.
 *
 * A pure function of the text and the reference time, without a dictionary or network. `docs/temporal.md` says what
 * is recognised and by which conventions.
 */
import { DAY, wallClock } from './calendar.ts';
import { cover, parse } from './chart.ts';
import type { Edge } from './chart.ts';
import { english } from './en/english.ts';
import { japanese } from './ja/japanese.ts';
import { chinese } from './zh/chinese.ts';
import type { Language } from './language.ts';
import { mentionOf } from './mention.ts';
import type { TimeMention } from './mention.ts';

export type { Interval, TimeMention, TimeType } from './mention.ts';
export type { Grain } from './value.ts';

export interface TimeOptions {
  /** The utterance's time. A string without zone is the local wall clock. */
  reference: Date | string;
  /** Default: by the script of the text. */
  language?: 'ja' | 'zh' | 'en';
  /** Which reading of an ambiguous expression comes first. Default: by the wording of its sentence ('I will …'), else `past`. */
  prefer?: 'past' | 'future' | 'nearest';
  /** IANA zone to whose wall clock an instant (`Date`, or a string with a zone) is converted. Default: the machine's. */
  timeZone?: string;
  /** Whether a range includes the last unit it names: 'March to May' ends with May (`included`, default) or before it. */
  rangeEnd?: 'included' | 'excluded';
}

/** Longer texts are read only up to here (UTF-16 units), so that a pasted book does not block the process. */
const MAX_TEXT_LENGTH = 100_000;

/**
 * The expressions of time in a text, in order, not overlapping. Never throws. An invalid reference gives no
 * mentions.
 */
export function findTimes(text: string, options: TimeOptions): TimeMention[] {
  const now = wallClock(options.reference, options.timeZone);
  if (now === null || Number.isNaN(now)) return [];
  const plain = normalize(text.slice(0, MAX_TEXT_LENGTH));
  const context = { now, today: Math.floor(now / DAY) * DAY };
  const [first, ...others] = languagesOf(plain, options.language).map((language) => [
    ...mentionsIn({ original: text, plain }, language, context, options),
  ]);
  return others.reduce(longest, first ?? []);
}

/** Merges the mentions of two languages: the longer where they overlap, the first language's where they are equal. */
function longest(first: TimeMention[], second: TimeMention[]): TimeMention[] {
  if (second.length === 0) return first;
  const kept: TimeMention[] = [];
  const taken = new Set<number>();
  const length = ({ start, end }: TimeMention) => end - start;
  for (const one of [...first, ...second].toSorted((a, b) => length(b) - length(a))) {
    // What was kept before is at least as long, so any overlap includes one of this one's ends.
    if (taken.has(one.start) || taken.has(one.end - 1)) continue;
    for (let at = one.start; at < one.end; at++) taken.add(at);
    kept.push(one);
  }
  return kept.toSorted((a, b) => a.start - b.start);
}

/** Converts full-width forms to ASCII and capitals to lower case, one unit to one unit, so that offsets stay the same. */
function normalize(text: string): string {
  return text.replaceAll(/[A-Z\u3000\uFF01-\uFF5E\u2010-\u2015\u2018\u2019\u2212\u301C]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x3000) return ' ';
    if (code >= 0xff01) return String.fromCharCode(code - 0xfee0).toLowerCase();
    if (code < 0x80) return character.toLowerCase();
    return code === 0x2018 || code === 0x2019 ? "'" : code === 0x301c ? '~' : '-';
  });
}

const BY_NAME = { en: english, ja: japanese, zh: chinese };

/** A text up to this length may be Japanese even without kana: 先々週, 令和6年. */
const SHORT = 40;

/** Kana makes a text Japanese, other ideographs make it Chinese. English is read in addition, for English words in it. */
function languagesOf(text: string, wanted: TimeOptions['language']): Language[] {
  if (wanted) return [BY_NAME[wanted]];
  const main: Language[] = [];
  if (/[\u3041-\u30FA]/.test(text)) main.push(japanese);
  else if (/\p{Script=Han}/u.test(text)) main.push(chinese, ...(text.length <= SHORT ? [japanese] : []));
  return main.length === 0 || /[a-z]{3}/.test(text) ? [...main, english] : main;
}

/** @param text as it is written, and as `normalize` converts it, unit for unit */
function* mentionsIn(
  { plain, original }: { readonly plain: string; readonly original: string },
  language: Language,
  time: { now: number; today: number },
  options: TimeOptions,
): Generator<TimeMention> {
  const follow = (end: number): number => {
    let next = end;
    while (plain[next] === ' ' || plain[next] === '\t') next++;
    return next;
  };
  const worth = (edge: Edge): number => {
    const value = scoreOf(edge);
    return value > 0 && language.accepts(plain, edge, original) ? value : 0;
  };
  for (const island of language.lex(plain)) {
    const prefer =
      options.prefer ?? (language.ahead.test(sentenceAt(plain, island[0]?.start ?? 0)) ? 'future' : 'past');
    const context = { ...time, prefer };
    for (const edge of cover(parse(island, language.grammar, context, follow), worth)) {
      const mention = mentionOf(edge, original, context, options.rangeEnd === 'excluded');
      if (mention) yield mention;
    }
  }
}

const SENTENCE_END = /[.!?。！？\n]/;

/** The sentence around a position, as far as needed to know its tense. */
function sentenceAt(text: string, position: number): string {
  const before =
    text
      .slice(Math.max(0, position - 80), position)
      .split(SENTENCE_END)
      .at(-1) ?? '';
  const after = text.slice(position, position + 80).split(SENTENCE_END)[0] ?? '';
  return before + after;
}

/** Longer is better, one piece better than two, a date better than a duration alone. */
function scoreOf({ node, start, end }: Edge): number {
  const length = end - start;
  switch (node?.kind) {
    case 'DATE':
    case 'WHEN':
    case 'TIMES':
    case 'SET':
      return length - 0.3;
    case 'TIME':
    case 'PART':
      return length - 0.4;
    case 'DUR':
      return length - 0.5;
    default:
      return 0;
  }
}
