/** Chooses the place for a new item in a file written by a person. */
import { detectLanguage } from '../../text/text.ts';
import { appendItem } from '../editing/editing.ts';
import { parseNote, type ParsedNote, type Section } from '../parse/parse.ts';
import { isSameWord, LIKING, readWords, type ContentWord } from './words.ts';

const OTHER = { en: 'Other', ja: 'その他', zh: '其他' } as const;

/** A new item. `isDone`: it is a task, done or not. */
export interface Item {
  readonly text: string;
  readonly isDone?: boolean;
}

/** Appends an item to exactly this section, even if another has the same name. */
export function appendTo(source: string, section: Section, item: Item): string {
  const end = section.body.end;
  return appendItem(source.slice(0, end), { ...item, headings: [] }) + source.slice(end);
}

/** Appends an item to the section on the same subject, or else to the general section. */
export function appendWhereItBelongs(source: string, words: string, item: Item): string {
  const note = parseNote(source, '');
  const section = sectionAbout(source, note, words) ?? generalSection(source, note);
  return section ? appendTo(source, section, item) : appendToOther(source, words, item);
}

/** The section that alone contains most words of the text, in heading or body; null when there is none or a tie. */
function sectionAbout(source: string, note: ParsedNote, words: string): Section | null {
  const [first, ...others] = note.sections;
  const sections = first && first.depth > 1 ? note.sections : others;
  if (sections.length === 0) return null;
  const wordsOf = sections.map(
    (section) => readWords(source.slice(section.heading.start, section.body.end)).content,
  );
  const hits = sections.map(() => 0);
  for (const word of readWords(words).content) {
    const holders = wordsOf.flatMap((held, i) => (held.some((one) => isSameName(one, word)) ? [i] : []));
    const [only] = holders;
    if (only !== undefined && holders.length === 1) hits[only] = (hits[only] ?? 0) + 1;
  }
  const best = Math.max(...hits);
  const isClear = best > 0 && hits.filter((count) => count === best).length === 1;
  return isClear ? (sections[hits.indexOf(best)] ?? null) : null;
}

/** Verbs and adjectives, which have endings, are ignored: they say little about the subject of a section. */
function isSameName(a: ContentWord, b: ContentWord): boolean {
  return a.ending === null && b.ending === null && isSameWord(a, b) && a.stem !== LIKING;
}

/** The text above all headings or under the title of the file; or the only section. */
function generalSection(source: string, note: ParsedNote): Section | null {
  const isBlank = ({ heading, body }: Section) => source.slice(heading.start, body.end).trim() === '';
  const [first, ...others] = note.sections.filter((section) => !isBlank(section));
  if (!first) return null;
  const isTitle = first.depth <= 1 && others.every(({ depth }) => depth > first.depth);
  return isTitle || others.length === 0 ? first : null;
}

function appendToOther(source: string, words: string, item: Item): string {
  const { sections } = parseNote(source, '');
  const known = sections.find(({ path }) => Object.values(OTHER).some((name) => name === path.at(-1)));
  if (known) return appendTo(source, known, item);
  if (sections.length === 0) return appendItem(source, { ...item, headings: [] });
  const depth = Math.min(...sections.map((section) => section.depth || 1));
  const withHeading = `${source.trimEnd()}\n\n${'#'.repeat(depth)} ${OTHER[detectLanguage(words)]}\n`;
  return appendItem(withHeading, { ...item, headings: [] });
}
