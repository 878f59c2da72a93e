/** Where in a file of a person’s own making something new belongs. */
import { detectLanguage } from '../../text/text.ts';
import { appendItem } from '../editing/editing.ts';
import { parseNote, type ParsedNote, type Section } from '../parse/parse.ts';
import { isSameWord, LIKING, readWords, type ContentWord } from './words.ts';

const OTHER = { en: 'Other', ja: 'その他', zh: '其他' } as const;

/** A new item. `isDone`: with a box, ticked or not. */
export interface Item {
  readonly text: string;
  readonly isDone?: boolean;
}

/** Appends an item to this very section, and not to another one of its name. */
export function appendTo(source: string, section: Section, item: Item): string {
  const end = section.body.end;
  return appendItem(source.slice(0, end), { ...item, headings: [] }) + source.slice(end);
}

/** Appends an item where it belongs: to the section that speaks of the same, or else to the one for everything. */
export function appendWhereItBelongs(source: string, words: string, item: Item): string {
  const note = parseNote(source, '');
  const section = sectionAbout(source, note, words) ?? generalSection(source, note);
  return section ? appendTo(source, section, item) : appendToOther(source, words, item);
}

/** The section that alone holds words of the text, in its heading or below it; null when there is none or several are as near. */
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

/** Verbs and adjectives, which have endings, say little of what a section is about. */
function isSameName(a: ContentWord, b: ContentWord): boolean {
  return a.ending === null && b.ending === null && isSameWord(a, b) && a.stem !== LIKING;
}

/** What stands above all headings or under the title of the file; the only section, if there is but one. */
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
