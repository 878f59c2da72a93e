import { fenceAfter, type Block, type Range } from './blocks.ts';

/** An item of a list, at any depth. */
export interface Item {
  /** Its own text, without marker, box and the items below it; lines are joined by a line feed. */
  readonly text: string;
  /** The item with everything below it, up to the next item; for the last item of a list, up to the end of its text. */
  readonly range: Range;
  /** The range of its own text in the source, without marker and box. */
  readonly own: Range;
  /** For a task: the position of the character in the box. */
  readonly boxAt: number | null;
  /** `-`, `*`, `+`, `1.` or `1)` as written. */
  readonly marker: string;
  /** For a task, whether it is done; null for other items. */
  readonly isDone: boolean | null;
  /** 0 for an outermost item. */
  readonly depth: number;
  /** White space before the marker. */
  readonly indent: string;
}

const MARK =
  /^(?<indent>[ \t]*)(?<marker>[-*+]|\d{1,9}[.)])(?<gap>[ \t]+|$)(?<box>\[[ xX]\](?=[ \t]|$)[ \t]*)?/;
/** A tab extends to the next multiple of four. */
const TAB_WIDTH = 4;

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface OpenItem extends Omit<Item, 'text' | 'range' | 'own'> {
  readonly start: number;
  readonly ownStart: number;
  ownEnd: number;
  readonly column: number;
  readonly lines: string[];
}

/** The items of a list in the order in which they begin. */
export function readItems(source: string, list: Block): Item[] {
  return list.itemRanges.flatMap((range) => readItem(source, range));
}

/** An outermost item and those below it, distinguished by indentation. */
function readItem(source: string, range: Range): Item[] {
  const items: { open: OpenItem; end: number }[] = [];
  const stack: OpenItem[] = [];
  const close = (until: number, end: number) => {
    while (stack.length > until) {
      const open = stack.pop();
      const item = items.find((one) => one.open === open);
      if (item) item.end = end;
    }
  };
  let fence = '';
  for (const line of linesOf(source, range)) {
    const mark = fence === '' ? MARK.exec(line.text) : null;
    fence = fenceAfter(fence, line.text.replace(MARK, '').trimStart());
    const opened = mark && openItem(mark, line, stack);
    if (!opened) {
      addLine(stack.at(-1), line);
      continue;
    }
    close(opened.depth, line.start);
    stack.push(opened);
    items.push({ open: opened, end: range.end });
  }
  close(0, range.end);
  return items.map(({ open, end }) => ({
    text: open.lines.join('\n').trim(),
    range: { start: open.start, end },
    own: { start: open.ownStart, end: open.ownEnd },
    boxAt: open.boxAt,
    marker: open.marker,
    isDone: open.isDone,
    depth: open.depth,
    indent: open.indent,
  }));
}

function addLine(item: OpenItem | undefined, line: Line): void {
  item?.lines.push(line.text.trim());
  if (item && line.text.trim() !== '') item.ownEnd = line.start + line.text.trimEnd().length;
}

function openItem(mark: RegExpExecArray, line: Line, stack: readonly OpenItem[]): OpenItem | null {
  const { indent = '', marker = '', box } = mark.groups ?? {};
  const column = widthOf(indent);
  // Text that begins to the right of an item's marker belongs below it; other text would have ended the outermost item.
  const depth = stack.filter((open) => open.column < column).length;
  if (stack.length > 0 && depth === 0) return null;
  const isDone = box === undefined ? null : /x/i.test(box);
  const lines = [line.text.slice(mark[0].length).trim()];
  const boxAt = box === undefined ? null : line.start + mark[0].length - box.length + 1;
  const ownStart = line.start + mark[0].length;
  const ownEnd = Math.max(ownStart, line.start + line.text.trimEnd().length);
  return { start: line.start, ownStart, ownEnd, boxAt, indent, marker, isDone, depth, column, lines };
}

function widthOf(indent: string): number {
  let width = 0;
  for (const sign of indent) width += sign === '\t' ? TAB_WIDTH - (width % TAB_WIDTH) : 1;
  return width;
}

function linesOf(source: string, range: Range): Line[] {
  const lines: Line[] = [];
  for (let at = range.start; at < range.end;) {
    const feed = source.indexOf('\n', at);
    const end = feed === -1 || feed >= range.end ? range.end : feed + 1;
    lines.push({ text: source.slice(at, end).replace(/\r?\n$/, ''), start: at, end });
    at = end;
  }
  return lines;
}
