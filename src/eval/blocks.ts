/** A small document that can be printed on a terminal or written as Markdown. */
import { displayWidth, padEnd } from '../text/text.ts';

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** Printed unchanged, such as a command. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** The first column contains text, the others numbers. */
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

export function renderText(blocks: readonly Block[]): string {
  return `${blocks.map(blockAsText).join('\n\n')}\n`;
}

function blockAsText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return block.level === 3 ? block.text : `${block.text}\n${'─'.repeat(displayWidth(block.text))}`;
    case 'list':
      return block.items.map((item) => `· ${item.replaceAll('\n', '\n  ')}`).join('\n');
    case 'table':
      return tableAsText([block.head, ...block.rows]);
    default:
      return block.text;
  }
}

function tableAsText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row.map((cell, column) =>
      column === 0 ? padEnd(cell, widths[0] ?? 0) : padStart(cell, widths[column] ?? 0),
    );
  return rows.map((row) => line(row).join('  ').trimEnd()).join('\n');
}

function padStart(cell: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(cell))) + cell;
}

export function renderMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(blockAsMarkdown).join('\n\n')}\n`;
}

function blockAsMarkdown(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escapeMarkdown(block.text)}`;
    case 'code':
      return `\`\`\`sh\n${block.text}\n\`\`\``;
    case 'list':
      return block.items.map((item) => `- ${escapeMarkdown(item).replaceAll('\n', '  \n  ')}`).join('\n');
    case 'table':
      return tableAsMarkdown(block.head, block.rows);
    default:
      return escapeMarkdown(block.text);
  }
}

function tableAsMarkdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** Quoted text must not become a heading, a table or a link. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`);
}
