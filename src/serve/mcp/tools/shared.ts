/** The tools that the AI SDK also offers, with answers as text. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import {
  exploreTool,
  forgetTool,
  journalTool,
  KINDS,
  recallTool,
  rememberTool,
  tasksTool,
  type AgentTool,
  type Erased,
  type Explored,
  type ForgetAnswer,
  type Found,
} from '../../../engine/engine.ts';
import { oneLine } from '../../../text/text.ts';
import { answer, ENTRIES_BUDGET_TOKENS, remark } from '../answer.ts';
import { tool, type Tool } from '../tool.ts';

function toTool<Input extends z.ZodObject, Output>(
  { run, ...definition }: AgentTool<Input, Output>,
  format: (output: Output, input: z.output<Input>) => CallToolResult,
): Tool {
  return tool({
    ...definition,
    call: async ({ memory }, input) =>
      format(await run({ memory, budgetTokens: ENTRIES_BUDGET_TOKENS }, input), input),
  });
}

export const SHARED_TOOLS = {
  recall: toTool(recallTool, ({ found, leftOut }) => {
    if (found.length === 0) return answer('Nothing is recalled.', '', { found });
    const lines = [
      ...found.map(formatFound),
      ...remark(leftOut, 'Ask more narrowly, or with kinds or times.'),
    ];
    return answer(lines.join('\n'), 'Ask more narrowly.', { found });
  }),
  explore: toTool(exploreTool, ({ why, found, leftOut, cursor }) => {
    if (found.length === 0) return answer(why || 'There is no more.', '', { found });
    const smaller = 'Ask again with a smaller limit.';
    const more = cursor === undefined ? [] : [`[There is more: cursor ${cursor}]`];
    const lines = [why, ...found.flatMap(formatExplored), ...more, ...remark(leftOut, smaller)];
    return answer(lines.join('\n'), smaller, { found, ...(cursor !== undefined && { cursor }) });
  }),
  remember: toTool(rememberTool, ({ outcome, id, uri, section, text }) => {
    const how = outcome === 'added' ? 'Remembered' : 'Already known, now with more certainty,';
    const place = uri === undefined ? '' : ` in ${[uri, section].filter(Boolean).join(' > ')}`;
    return answer(`${how}${place}${id === null ? '' : ` as #${id}`}: ${text}`, '');
  }),
  forget: {
    ...toTool(forgetTool, formatForgetting),
    manages: (input: Record<string, unknown>) => input['forGood'] === true,
  },
  tasks: toTool(tasksTool, ({ tasks, leftOut }, { action }) => {
    if (tasks.length === 0) return answer('There are no tasks.', '');
    const lines = tasks.map(
      ({ id, text, done, due }) =>
        `[${done ? 'x' : ' '}] ${id}: ${oneLine(text)}${due === null ? '' : ` (due ${due})`}`,
    );
    const done = { list: '', add: 'Added: ', done: 'Done: ' }[action];
    return answer(done + [...lines, ...remark(leftOut, 'read_note TASKS.md shows all.')].join('\n'), '');
  }),
  journal: toTool(journalTool, ({ uri, text }) => answer(`Added to ${uri}: ${text}`, '')),
};

function formatForgetting(answered: ForgetAnswer): CallToolResult {
  switch (answered.outcome) {
    case 'preview':
      return formatPreview(answered);
    case 'erased': {
      const { receipt } = answered;
      const proof = receipt === null ? [] : [`Receipt: ${JSON.stringify(receipt)}`];
      return answer([`Erased for good: ${formatSums(answered)}`, ...proof].join('\n'), '', { receipt });
    }
    default: {
      const { outcome, id, uri, text } = answered;
      const how = {
        archived: 'Archived: it stays, can be restored, and is no longer recalled',
        removed: `Taken out of ${uri} (an earlier version stays in the memory)`,
        unchanged: 'Forgotten before',
      }[outcome];
      return answer(`${how}: #${id} ${text}`, '');
    }
  }
}

function formatPreview(preview: Extract<ForgetAnswer, { outcome: 'preview' }>): CallToolResult {
  const { confirm, hasChanged, samples, leftOut } = preview;
  if (confirm === null) return answer('There is nothing to erase.', '', { confirm });
  const changed = hasChanged
    ? ['Nothing was erased: the code has expired, or what would go has changed.']
    : [];
  const lines = [
    ...changed,
    `Would be erased for good: ${formatSums(preview)}`,
    `Nothing is erased yet. Tell the user how much would go, without the words: what you say may be stored, too. If they agree, repeat the call with confirm: ${confirm}`,
    ...samples.map(
      (sample) =>
        (sample.uri === undefined ? '' : 'A note with the same content, which stays: ') + formatFound(sample),
    ),
    ...remark(leftOut, 'They are counted.'),
  ];
  return answer(lines.join('\n'), '', { confirm, samples });
}

function formatSums({
  counts,
  changed,
  topicsRenamed,
}: Pick<Erased, 'counts' | 'changed' | 'topicsRenamed'>): string {
  const parts = KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${kind} ${counts[kind]}`);
  const kept = changed === 0 ? '' : ` ${changed} units stay, without the part derived from it.`;
  const topics = topicsRenamed === 0 ? '' : ` ${topicsRenamed} topics get another title or summary.`;
  return `${parts.join(', ')}.${kept}${topics}`;
}

/** Recalled text cannot look like an entry: a turn is on one line, and no line of a note begins like an entry. */
function formatFound({ id, kind, date, speaker, uri, section, text, relevance }: Found): string {
  const place = [uri, section].filter((part) => part !== undefined).join(' > ');
  const head = [id !== null && `#${id}`, kind, date, speaker, place].filter(Boolean).join(' ');
  const judgement = relevance && RELEVANCE[relevance];
  const body = kind === 'note' ? withoutHeads(text) : oneLine(text);
  return `[${inHead(head)}${judgement === undefined ? '' : `, ${judgement}`}] ${body}`;
}

const RELEVANCE: Readonly<Record<NonNullable<Found['relevance']>, string>> = {
  high: 'relevance high',
  medium: 'relevance medium',
  low: 'relevance low: perhaps unrelated',
};

function formatExplored({ heading, ...found }: Explored): string[] {
  return [...(heading === undefined ? [] : [oneLine(`== ${heading}`)]), formatFound(found)];
}

/** Prevents a name or path from ending the head of an entry. */
function inHead(words: string): string {
  return oneLine(words).replaceAll('[', '［').replaceAll(']', '］');
}

/** The lines of a note, changed so that none begins like an entry or a note of ours. */
function withoutHeads(text: string): string {
  return text.replace(LINE_BREAK, '\n').replace(HEAD, '$1［');
}
const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/gu;
const HEAD = new RegExp(`^([\\s\\p{Cf}]*)\\[(?=#?\\d|Cut|There|(?:${KINDS.join('|')})\\b)`, 'gmu');
