/** Reads exports of diaries and e-readers: Day One's entries, and the clippings of a Kindle. */
import { isRecord, listOf, MemoryError, parseJson, type Fields } from '../../model/model.ts';

/** The entries of one day. */
export interface JournalDay {
  /** `2024-01-05` */
  readonly day: string;
  readonly text: string;
}

/** The marks and notes in one book. */
export interface BookClippings {
  readonly title: string;
  readonly items: readonly { readonly heading: null; readonly text: string }[];
}

interface Entry {
  readonly at: number;
  readonly timeZone: string;
  readonly words: string;
}

const PICTURE = /!\[[^\]]*\]\(dayone-moment:[^)]*\)/g;

/** The days of Day One's JSON, in the time zone where each entry was written; null when it is not Day One's JSON. */
export function readDayOne(text: string): JournalDay[] | null {
  const found = entriesOf(text);
  if (found === null) return null;
  const entries = found.flatMap(readEntry).toSorted((a, b) => a.at - b.at);
  const days = Map.groupBy(entries, ({ at, timeZone }) => localTime(at, timeZone).slice(0, 10));
  return [...days].map(([day, all]) => {
    const sections = all.map(
      ({ at, timeZone, words }) => `## ${localTime(at, timeZone).slice(11)}\n\n${words}\n`,
    );
    return { day, text: `# ${day}\n\n${sections.join('\n')}` };
  });
}

function entriesOf(text: string): Fields[] | null {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return null;
  }
  const records = isRecord(value) ? listOf(value['entries']).filter(isRecord) : [];
  return records.some((entry) => typeof entry['creationDate'] === 'string') ? records : null;
}

function readEntry(entry: Fields): Entry[] {
  const at = Date.parse(String(entry['creationDate']));
  if (Number.isNaN(at)) return [];
  const written = typeof entry['text'] === 'string' ? entry['text'] : '';
  const pictures = Array.isArray(entry['photos']) ? entry['photos'].length : 0;
  // Day One escapes characters that are Markdown syntax.
  const words = written
    .replaceAll(PICTURE, '[image]')
    .replaceAll(/\\([.!()#+-])/g, '$1')
    .trim();
  const tags = listOf(entry['tags']).filter((tag) => typeof tag === 'string');
  const lines = [words || (pictures > 0 ? '[image]' : ''), tags.length > 0 ? `Tags: ${tags.join(', ')}` : ''];
  const kept = lines.filter((line) => line !== '').join('\n\n');
  return kept === '' ? [] : [{ at, timeZone: knownZone(entry['timeZone']), words: kept }];
}

function knownZone(name: unknown): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: String(name) }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** `2024-01-06 07:03` */
function localTime(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return format.format(at);
}

const SEPARATOR = /^={10}\s*$/m;

/** Whether a text is a Kindle's `My Clippings.txt`. */
export function isClippings(text: string): boolean {
  return SEPARATOR.test(text) && /\n- [^\n]*\|/.test(text);
}

/** @throws MemoryError UNKNOWN_FORMAT */
export function readClippings(text: string): BookClippings[] {
  if (!isClippings(text)) throw new MemoryError('UNKNOWN_FORMAT', 'It contains no clippings of a Kindle.');
  const clippings = text.replaceAll('\r', '').split(SEPARATOR).flatMap(readClipping);
  return [...Map.groupBy(clippings, ({ title }) => title)].map(([title, all]) => ({
    title,
    items: all.map(({ text }) => ({ heading: null, text })),
  }));
}

function readClipping(written: string): { title: string; text: string }[] {
  const [title = '', place = '', ...rest] = written
    .replace(/^\uFEFF/, '')
    .trim()
    .split('\n');
  const words = rest.join('\n').trim();
  // A bookmark has no text.
  if (title === '' || words === '') return [];
  return [{ title: title.trim(), text: `${words}\n${place.replace(/^- /, '').trim()}` }];
}
