import { lineEndOf } from '../content.ts';
import { parseNote, type ParsedNote, type Section } from '../parse/parse.ts';
import { insertAfter, wordsEnd } from './text.ts';

const DEEPEST = 6;

/** The section with these headings, or with others above them: `["Food"]` finds `# Likes` › `## Food`. */
export function findSection(note: ParsedNote, headings: readonly string[]): Section | undefined {
  const wanted = headings.map(fold);
  const found = note.sections.filter(({ path }) => {
    const own = path.slice(-wanted.length).map(fold);
    return path.length >= wanted.length && own.every((heading, i) => heading === wanted[i]);
  });
  return found.find(({ path }) => path.length === wanted.length) ?? found[0];
}

/** Headings are compared without case, width and a final colon. */
function fold(heading: string): string {
  return heading.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim().replace(/\s*:$/, '');
}

/** A text that contains these headings. */
interface WithHeadings {
  readonly text: string;
  /** The headings to look for: without the outermost when the file has its own title. */
  readonly headings: readonly string[];
}

/**
 * Adds missing headings at the end of the section of the existing ones. If the outermost is missing, it depends on
 * whether the file has its own title.
 */
export function makeHeadings(text: string, headings: readonly string[]): WithHeadings {
  const note = parseNote(text, '');
  const made = makeUnder(text, note, headings);
  if (made !== null) return { text: made, headings };
  const title = note.sections.find(({ depth }) => depth === 1);
  const below = headings.slice(1);
  if (below.length > 0 && findSection(note, below)) return { text, headings: below };
  if (below.length === 0 || !title)
    return { text: addAt(text, note, { end: text.length, depth: title ? 2 : 1, headings }), headings };
  return { text: makeUnder(text, note, below) ?? addUnder(text, note, title, below), headings: below };
}

/** Null when the outermost heading does not exist. */
function makeUnder(text: string, note: ParsedNote, headings: readonly string[]): string | null {
  if (headings.length === 0) return text;
  for (let known = headings.length; known > 0; known--) {
    const found = findSection(note, headings.slice(0, known));
    if (found) return known === headings.length ? text : addUnder(text, note, found, headings.slice(known));
  }
  return null;
}

function addUnder(text: string, note: ParsedNote, parent: Section, headings: readonly string[]): string {
  const behind = note.sections.slice(note.sections.indexOf(parent) + 1);
  const next = behind.find((section) => section.depth <= parent.depth);
  const end = next?.heading.start ?? text.length;
  return addAt(text, note, { end, depth: parent.depth + 1, headings });
}

interface Added {
  /** The end of the text after which they are added. */
  readonly end: number;
  /** The depth of the first heading, from 1. */
  readonly depth: number;
  readonly headings: readonly string[];
}

function addAt(text: string, note: ParsedNote, { end, depth, headings }: Added): string {
  const lineEnd = lineEndOf(text);
  const lines = headings.map((heading, i) => {
    const words = heading.replace(/\s+/g, ' ').trim();
    return `${'#'.repeat(Math.min(DEEPEST, depth + i))} ${words}`;
  });
  return insertAfter(text, wordsEnd(text, note.textStart, end), lines.join(lineEnd + lineEnd), 'apart');
}
