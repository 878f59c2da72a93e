/** Tools that look into the memory: for what matters now, on purpose, or as a part of a prompt. */
import { z } from 'zod';
import {
  EMOTION_KEYS,
  EXPLORE_VIEWS,
  KINDS,
  localDate,
  MemoryError,
  NO_BUDGET,
  type Exploration,
  type ExploreOptions,
  type ExploreQuery,
  type Hit,
} from '../../../engine/engine.ts';
import { countTokens, oneLine, snippet } from '../../../text/text.ts';
import { defined } from '../../defined.ts';
import type { McpAccess, McpMemory } from '../access.ts';
import { answer, cutEntry, fitEntries, MAX_ANSWER_TOKENS, MAX_ENTRY_TOKENS, remark } from '../answer.ts';
import { tool } from '../tool.ts';

const DEFAULT_LIMIT = 8;

const day = (which: string) => z.string().optional().describe(`${which}, ISO 8601.`);

export const recallTool = tool({
  name: 'recall',
  description:
    'What the memory holds on something: past conversations, facts, notes, preferences, decisions. Call it before answering whenever the user ' +
    'refers to something earlier, or when their habits, people, plans or project rules could matter. Times in the words (“last week”, 先月) are ' +
    'understood. Each entry begins with the id that forget takes; a whole file has none.',
  input: z.strictObject({
    utterance: z.string().describe('What the user said, or a question in any language.'),
    limit: z.int().min(1).max(30).optional().describe(`Default ${DEFAULT_LIMIT}.`),
    from: day('Not before'),
    to: day('Only before'),
    kinds: z.array(z.enum(KINDS)).min(1).optional().describe('Default: all. episode = something said.'),
  }),
  does: 'reads',
  async call(access, { utterance, limit = DEFAULT_LIMIT, from, to, kinds }) {
    if (utterance.trim() === '') throw new MemoryError('EMPTY_TEXT', 'There is nothing to look for.');
    const entries = await find(access, utterance, { limit, ...defined({ from, to, kinds }) });
    if (entries.length === 0) return answer('Nothing comes to mind.', '', { found: [] });
    const { shown, leftOut } = fitEntries(entries, (entry) => JSON.stringify(entry));
    const lines = [
      ...shown.map(formatEntry),
      ...remark(leftOut, 'Ask more narrowly, or with kinds or times.'),
    ];
    return answer(lines.join('\n'), 'Ask more narrowly.', { found: shown });
  },
});

/** Something found, as it is told. */
interface Entry {
  /** Of its unit; a whole file has none. */
  readonly id?: number;
  readonly kind: string;
  readonly text: string;
  readonly date?: string;
  readonly speaker?: string;
  readonly uri?: string;
  readonly section?: string;
  readonly relevance?: Hit['relevance'];
}

interface FindRequest {
  readonly limit: number;
  readonly from?: string;
  readonly to?: string;
  readonly kinds?: readonly (typeof KINDS)[number][];
}

/** The files are asked in their own way, which knows where what is kept; they have no times to be asked by. */
async function find({ memory, notes }: McpAccess, utterance: string, request: FindRequest): Promise<Entry[]> {
  const { limit, from, to, kinds } = request;
  if (notes === null || from !== undefined || to !== undefined || kinds?.includes('note') === false)
    return findUnits(memory, utterance, request);
  const others = (kinds ?? KINDS).filter((kind) => kind !== 'note');
  const said = others.length === 0 ? [] : await findUnits(memory, utterance, { limit, kinds: others });
  const { path, hits } = await notes.find(utterance, { budgetTokens: MAX_NOTE_TOKENS });
  const noted = hits.map(({ unitId, uri, section, text }) => ({
    ...(unitId !== null && { id: unitId }),
    ...entryOfNote(uri, section, cutEntry(text, MAX_NOTE_TOKENS)),
  }));
  // What the words clearly ask for comes first and whole. Else neither files nor talks are known to matter more.
  if (path !== 'hybrid') return [...noted, ...said];
  const unsure = said.filter(({ relevance }) => relevance === 'low');
  const sure = said.filter(({ relevance }) => relevance !== 'low');
  return [...alternate(noted, sure), ...unsure].slice(0, limit);
}

/** Of all notes in one answer: a whole file may be what was asked for. */
const MAX_NOTE_TOKENS = MAX_ANSWER_TOKENS / 2;

/** The first of each, then the second of each, and so on. */
function alternate(some: readonly Entry[], others: readonly Entry[]): Entry[] {
  const length = Math.max(some.length, others.length);
  return Array.from({ length }, (_, i) => [some[i], others[i]]).flatMap((pair) =>
    pair.filter((entry) => entry !== undefined),
  );
}

function entryOfNote(uri: string, section: string, text: string): Entry {
  return { kind: 'note', uri, ...(section !== '' && { section }), text };
}

async function findUnits(
  memory: McpMemory,
  utterance: string,
  { kinds, ...rest }: FindRequest,
): Promise<Entry[]> {
  // What the texts may take together is this tool's to keep: it shows of a long one what matters, rather than none of it.
  const { hits, metadata } = await memory.recall(utterance, {
    ...rest,
    ...(kinds && { kinds: [...kinds] }),
    budgetTokens: NO_BUDGET,
  });
  const around = metadata.intent.keywords;
  const noteIds = hits.filter(({ kind }) => kind === 'note').map(({ unitId }) => unitId);
  const notes = new Map((await memory.units.get(noteIds)).map((unit) => [unit.id, unit]));
  return hits.map((hit) => {
    const note = notes.get(hit.unitId);
    if (note?.kind !== 'note') return entryOf(hit, around, memory.timeZone);
    const { uri, section, text } = note.payload;
    return { id: note.id, ...entryOfNote(uri, section, passage(text, around)) };
  });
}

/** Of the passage shown of a text that is too long; in Japanese and Chinese a character can be a token. */
const MAX_PASSAGE_CHARS = MAX_ENTRY_TOKENS;

/** The text, or of a long one what was looked for. */
function passage(text: string, around: readonly string[]): string {
  if (countTokens(text) <= MAX_ENTRY_TOKENS) return text;
  return cutEntry(snippet(text, { maxChars: MAX_PASSAGE_CHARS, around }));
}

function entryOf(hit: Hit, around: readonly string[], timeZone: string): Entry {
  return {
    id: hit.unitId,
    kind: hit.kind,
    date: localDate(Date.parse(hit.occurredAt), timeZone),
    ...(hit.speaker !== null && { speaker: hit.speaker }),
    text: passage(hit.text, around),
    relevance: hit.relevance,
  };
}

/**
 * Nothing recalled can pass for an entry of its own: what was said stands on one line, and no line of a whole file begins
 * as an entry does.
 */
function formatEntry({ id, kind, date, speaker, uri, section, text, relevance }: Entry): string {
  const place = [uri, section].filter((part) => part !== undefined).join(' > ');
  const head = [id !== undefined && `#${id}`, kind, date, speaker, place].filter(Boolean).join(' ');
  const judgement = relevance && RELEVANCE[relevance];
  const body = id === undefined ? withoutHeads(text) : oneLine(text);
  return `[${inHead(head)}${judgement === undefined ? '' : `, ${judgement}`}] ${body}`;
}

const RELEVANCE: Readonly<Record<Hit['relevance'], string>> = {
  high: 'relevance high',
  medium: 'relevance medium',
  low: 'relevance low: perhaps unrelated',
};

/** A name or the path of a file cannot end the head. */
function inHead(words: string): string {
  return oneLine(words).replaceAll('[', '［').replaceAll(']', '］');
}

/** The lines of a file, of which none begins as an entry or a remark of ours does. */
function withoutHeads(text: string): string {
  return text.replace(LINE_BREAK, '\n').replace(HEAD, '$1［');
}
const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/gu;
const HEAD = new RegExp(`^([\\s\\p{Cf}]*)\\[(?=#?\\d|Cut|There|(?:${KINDS.join('|')})\\b)`, 'gmu');

export const packTool = tool({
  name: 'pack',
  description:
    'A block to put before an answer: who the user is, what is open, and what was said that bears on the message, fitted to a token budget. ' +
    'Call it once at the start of a conversation; for one question recall is better.',
  input: z.strictObject({
    utterance: z.string().describe('The message that is to be answered.'),
    budgetTokens: z.int().min(100).max(MAX_ANSWER_TOKENS).optional().describe('Default 1500.'),
  }),
  does: 'reads',
  async call({ memory }, { utterance, budgetTokens }) {
    const { text } = await memory.pack(utterance, defined({ budgetTokens }));
    return answer(text || 'There is nothing to tell yet.', 'Ask with a smaller budgetTokens.');
  },
});

export const exploreTool = tool({
  name: 'explore',
  description:
    'Looks through past conversations on purpose, page by page: everything said in a period, about a person or topic, or with a feeling. ' +
    'Call it for “what did we do in March?”, or when recall was not enough. Give at least one thing to look for; several are met at once.',
  input: z.strictObject({
    text: z.string().optional(),
    keywords: z.array(z.string()).optional().describe('All of them occur.'),
    from: day('Not before'),
    to: day('Only before'),
    period: z.string().optional().describe('In words: last spring, 去年の夏, 上个月.'),
    emotion: z.enum(EMOTION_KEYS).optional(),
    topic: z.string().optional().describe('Its title.'),
    entity: z.string().optional().describe('Name of a person, place or thing.'),
    view: z.enum(EXPLORE_VIEWS).optional(),
    limit: z.int().min(1).max(50).optional(),
    cursor: z.string().optional().describe('From the page before, with the same question.'),
  }),
  does: 'reads',
  async call({ memory }, { view, limit, cursor, ...query }) {
    const exploration = await memory.explore(
      defined(query) as ExploreQuery,
      defined({ view, limit, cursor }) as ExploreOptions,
    );
    const lines = linesOf(exploration, memory.timeZone);
    if (lines.length === 0) return answer(exploration.nothing?.sentence ?? 'There is no more.', '');
    const { shown, leftOut } = fitEntries(lines, String);
    const next = exploration.nextCursor;
    const more = leftOut === 0 && next !== null ? [`[There is more: cursor ${next}]`] : [];
    const smaller = 'Ask again with a smaller limit.';
    return answer([exploration.why, ...shown, ...more, ...remark(leftOut, smaller)].join('\n'), smaller);
  },
});

type Item = Extract<Exploration, { view: 'quote' }>['quotes'][number];

function linesOf(exploration: Exploration, timeZone: string): string[] {
  const formatItem = ({ unitId, kind, occurredAt, speaker, quote }: Item) => {
    const head = [kind, localDate(Date.parse(occurredAt), timeZone), speaker].filter(Boolean).join(' ');
    return `[#${unitId} ${inHead(head)}] ${oneLine(cutEntry(quote.text))}`;
  };
  switch (exploration.view) {
    case 'quote':
      return exploration.quotes.map(formatItem);
    case 'timeline':
      return exploration.groups.flatMap(({ date, conversationId, items }) => [
        oneLine(`== ${date}${conversationId === null ? '' : `, ${conversationId}`}`),
        ...items.map(formatItem),
      ]);
    case 'topic':
      return exploration.topics.flatMap(({ title, summary, episodes }) => [
        oneLine(`== ${title}${summary === null ? '' : `: ${cutEntry(summary, 200)}`}`),
        ...episodes.map(formatItem),
      ]);
  }
}
