/** Parses a Markdown memory file into sections and chunks with their positions. */
import type { Scope, Sensitivity } from '../../model/model.ts';
import { readBlocks, type Block, type Range } from './blocks.ts';
import { cutChunks } from './chunks.ts';
import { readFrontMatter } from './frontMatter.ts';
import { readItems, type Item } from './items.ts';
import { memoryTypeOf } from './memoryType.ts';

export type { Range } from './blocks.ts';
export type { Item } from './items.ts';
export { journalDay, memoryTypeOf } from './memoryType.ts';

export interface ParsedNote {
  readonly memoryType: string;
  /** From the front matter; null when it is not given there. */
  readonly scope: Scope | null;
  readonly sensitivity: Sensitivity | null;
  /** Where the text begins, in UTF-16 units: after the byte order mark and the front matter. */
  readonly textStart: number;
  /** In order, without gaps from `textStart` to the end. The first has no heading when the file begins without one. */
  readonly sections: readonly Section[];
  /** The searchable parts, in order. */
  readonly chunks: readonly Chunk[];
  /** Problems of the file, to show to people. */
  readonly warnings: readonly string[];
}

/** A heading with its content up to the next heading of any depth. */
export interface Section {
  /** Headings from the outermost to its own; empty for text before the first heading. */
  readonly path: readonly string[];
  /** 1 to 6; 0 without heading. */
  readonly depth: number;
  readonly heading: Range;
  readonly body: Range;
  /** The outermost lists in it. */
  readonly lists: readonly Range[];
  readonly items: readonly Item[];
}

/** A section, or a part of a long one; each chunk becomes one unit. */
export interface Chunk {
  /** Index in `sections`. */
  readonly sectionIndex: number;
  /** Headings joined by ` > `. */
  readonly section: string;
  /** Its text without the heading and without blank lines around it; lines end in a line feed. */
  readonly text: string;
  /** The range of this text in the source. */
  readonly range: Range;
}

/**
 * Parses a file of notes. Never throws: what is not valid Markdown is treated as text.
 * @param source the text of the file, with its byte order mark and line ends
 */
export function parseNote(source: string, uri: string): ParsedNote {
  const { frontMatter, end, isBroken, warnings } = readFrontMatter(source);
  const textStart = source.startsWith('\ufeff') ? Math.max(1, isBroken ? 0 : end) : isBroken ? 0 : end;
  const broken = isBroken ? [plainBlock(textStart, end)] : [];
  const blocks = [...broken, ...readBlocks(source, isBroken ? end : textStart)];
  const outlined = outline(blocks, textStart);
  return {
    memoryType: frontMatter.memoryType ?? memoryTypeOf(uri),
    scope: frontMatter.scope,
    sensitivity: frontMatter.sensitivity,
    textStart,
    sections: outlined.map((one) => toSection(source, one)),
    chunks: outlined.flatMap((one, i) => chunksOf(source, one, i, outlined)),
    warnings,
  };
}

function plainBlock(start: number, end: number): Block {
  return { type: 'other', range: { start, end }, depth: 0, title: '', itemRanges: [] };
}

interface Outlined {
  readonly path: readonly string[];
  readonly heading: Block | null;
  readonly headingRange: Range;
  readonly blocks: Block[];
}

/** Blocks grouped by the headings above them. */
function outline(blocks: readonly Block[], start: number): Outlined[] {
  const sections: Outlined[] = [];
  const above: Block[] = [];
  for (const block of blocks) {
    if (block.type === 'heading') {
      while ((above.at(-1)?.depth ?? 0) >= block.depth) above.pop();
      above.push(block);
      const path = above.map((one) => one.title);
      sections.push({ path, heading: block, headingRange: block.range, blocks: [] });
    } else {
      if (sections.length === 0) {
        sections.push({ path: [], heading: null, headingRange: { start, end: start }, blocks: [] });
      }
      sections.at(-1)?.blocks.push(block);
    }
  }
  return sections;
}

function bodyOf({ headingRange, blocks }: Outlined): Range {
  return { start: headingRange.end, end: blocks.at(-1)?.range.end ?? headingRange.end };
}

function toSection(source: string, outlined: Outlined): Section {
  const lists = outlined.blocks.filter((block) => block.type === 'list');
  return {
    path: outlined.path,
    depth: outlined.heading?.depth ?? 0,
    heading: outlined.headingRange,
    body: bodyOf(outlined),
    lists: lists.map((block) => block.range),
    items: lists.flatMap((block) => readItems(source, block)),
  };
}

function chunksOf(
  source: string,
  outlined: Outlined,
  sectionIndex: number,
  all: readonly Outlined[],
): Chunk[] {
  const section = joinPath(outlined.path);
  const chunks = cutChunks(source, bodyOf(outlined), outlined.blocks).flatMap((range) => {
    const words = trim(source, range);
    return words ? [{ sectionIndex, section, text: plainText(source, words), range: words }] : [];
  });
  return chunks.length > 0 ? chunks : bareHeading(source, outlined, sectionIndex, all);
}

/** A heading with nothing under it is itself the text of the chunk, except the title of a file. */
function bareHeading(
  source: string,
  outlined: Outlined,
  sectionIndex: number,
  all: readonly Outlined[],
): Chunk[] {
  const { heading, path, headingRange } = outlined;
  if (!heading || heading.title === '') return [];
  const hasBelow = (all[sectionIndex + 1]?.heading?.depth ?? 0) > heading.depth;
  const isTitle = heading.depth === 1 && all.findIndex((one) => one.heading) === sectionIndex;
  if (hasBelow || isTitle) return [];
  const range = trim(source, headingRange) ?? headingRange;
  return [{ sectionIndex, section: joinPath(path.slice(0, -1)), text: heading.title.toWellFormed(), range }];
}

/** Joins headings into one line, the name of a section in a unit. */
export function joinPath(path: readonly string[]): string {
  return path.join(' > ').toWellFormed();
}

/** The range without blank lines before and white space after it, or null when nothing is left. */
function trim(source: string, { start, end }: Range): Range | null {
  const text = source.slice(start, end);
  const words = text.trimEnd();
  if (words === '') return null;
  const blank = /^(?:[^\S\n]*\n)*/.exec(words)?.[0].length ?? 0;
  return { start: start + blank, end: start + words.length };
}

function plainText(source: string, { start, end }: Range): string {
  return source.slice(start, end).replace(/\r\n?/g, '\n').toWellFormed();
}
