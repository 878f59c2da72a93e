/** A plan proposed by a language model. The model sees topics and passages; everything in its reply is validated. */
import { z } from 'zod';
import { fillPrompt, readPrompt, type LanguageModel } from '../llm/llm.ts';
import {
  localDate,
  planOperationSchema,
  unitText,
  type Episode,
  type PlanOperation,
  type Topic,
} from '../model/model.ts';
import { countTokens, shortLine } from '../text/text.ts';
import type { Situation } from './rules.ts';
import { membersOf } from './survey.ts';
import { memberOf, passagesOf, type Passage } from './passages.ts';
import { possibleOperations } from './validate.ts';
import { languageOf } from './wording.ts';

/** Tokens of topics that a model is shown: with instructions and reply, this fits a local model with 32k of context. */
const MAX_TOKENS = 24_000;
/** The share of these for titles and summaries; the rest is for passages. */
const TITLE_SHARE = 0.5;
const MAX_SUMMARY_LENGTH = 160;
const MAX_SNIPPET_LENGTH = 100;
const MAX_TITLE_LENGTH = 80;
const MAX_NEW_SUMMARY_LENGTH = 400;
const MAX_REASON_LENGTH = 200;

const replySchema = z.object({
  splits: z.array(
    z.object({
      topicId: z.int(),
      into: z.array(z.object({ title: z.string(), summary: z.string(), passages: z.array(z.int()) })),
      reason: z.string(),
    }),
  ),
  merges: z.array(
    z.object({
      topicIds: z.array(z.int()),
      intoId: z.int(),
      /** Null: the topic keeps its name. */
      title: z.string().nullable(),
      summary: z.string().nullable(),
      reason: z.string(),
    }),
  ),
  parents: z.array(
    z.object({
      childIds: z.array(z.int()),
      /** Null: a new topic of the title that follows. */
      parentId: z.int().nullable(),
      title: z.string().nullable(),
      summary: z.string().nullable(),
      reason: z.string(),
    }),
  ),
});
type Reply = z.output<typeof replySchema>;

/** What the model is shown of the memory. */
interface Shown {
  readonly text: string;
  /** By the id of a passage, which is that of its first episode. */
  readonly passages: ReadonlyMap<number, Passage>;
}

/**
 * The valid operations that the model proposes.
 * @param onNote called for each that is not valid
 * @throws MemoryError MODEL_FAILED, or the signal's reason
 */
export async function planByModel(
  situation: Situation,
  model: LanguageModel,
  onNote: (note: string) => void,
  signal: AbortSignal,
): Promise<PlanOperation[]> {
  const { parts, topics, now } = situation;
  const language = languageOf(topics.map(({ title }) => title));
  const shown = await describeTopics(situation);
  const prompt = readPrompt(new URL('prompts/', import.meta.url), 'reorganize', language);
  const request = fillPrompt(prompt, { today: localDate(now, parts.store.timeZone), topics: shown.text });
  const { value } = await model.generateObject(
    { purpose: 'reorganize', name: 'reorganization', schema: replySchema, temperature: 0, ...request },
    signal,
  );
  const read = operationsOf(value, shown, topics);
  const operations = read.flatMap(({ operation, problem }) => {
    if (operation) return operation;
    onNote(problem);
    return [];
  });
  return possibleOperations(parts.store, operations, onNote);
}

type ReadOperation =
  | { readonly operation: PlanOperation; readonly problem?: never }
  | { readonly operation?: never; readonly problem: string };

function operationsOf(reply: Reply, { passages }: Shown, topics: readonly Topic[]): ReadOperation[] {
  const byId = new Map(topics.map((topic) => [topic.id, topic]));
  const isUsers = (id: number) => byId.get(id)?.source === 'user';
  const splits = reply.splits.map(({ topicId, into, reason }) => {
    const groups = into.map(({ title, summary, passages: ids }) => ({
      ...nameOf(title, summary),
      unitIds: ids.flatMap((id) => passages.get(id)?.unitIds ?? []),
    }));
    return checked({ type: 'split', topicId, into: groups, reason: reasonOf(reason) });
  });
  const merges = reply.merges.map(({ topicIds, intoId, title, summary, reason }) => {
    const named = topicIds.find(isUsers);
    if (named !== undefined)
      return { problem: `Left out: topic ${named} was named by a person and is not merged away.` };
    const rename = title === null || isUsers(intoId) ? null : nameOf(title, summary);
    const others = [...new Set(topicIds)].filter((id) => id !== intoId);
    return checked({ type: 'merge', topicIds: others, intoId, rename, reason: reasonOf(reason) });
  });
  const parents = reply.parents.map(({ childIds, parentId, title, summary, reason }) => {
    const parent = parentId === null ? nameOf(title ?? '', summary) : { topicId: parentId };
    return checked({ type: 'parent', childIds: [...new Set(childIds)], parent, reason: reasonOf(reason) });
  });
  return [...splits, ...merges, ...parents];
}

function checked(operation: unknown): ReadOperation {
  const { data, error } = planOperationSchema.safeParse(operation);
  return data ? { operation: data } : { problem: `Left out: ${z.prettifyError(error)}` };
}

function nameOf(title: string, summary: string | null): { title: string; summary: string | null } {
  return {
    title: shortLine(title, MAX_TITLE_LENGTH),
    summary: shortLine(summary ?? '', MAX_NEW_SUMMARY_LENGTH) || null,
  };
}

function reasonOf(reason: string): string {
  return shortLine(reason, MAX_REASON_LENGTH) || '-';
}

/**
 * As many titles of topics as fit half of the tokens, those last spoken of first; then, with the rest, passages of
 * the largest topics among them, complete or not at all.
 */
async function describeTopics(situation: Situation): Promise<Shown> {
  const { parts, pause, topics } = situation;
  const { timeZone } = parts.store;
  const titles = within(
    topics
      .toSorted((a, b) => (b.lastAt ?? b.updatedAt) - (a.lastAt ?? a.updatedAt) || a.id - b.id)
      .map((topic) => ({ topic, text: titleLine(topic, timeZone) })),
    MAX_TOKENS * TITLE_SHARE,
  );
  let left = MAX_TOKENS - titles.reduce((sum, { text }) => sum + countTokens(text), 0);
  const passages = new Map<number, Passage>();
  const lines = new Map<number, string[]>();
  for (const { topic } of titles.toSorted(
    (a, b) => b.topic.members - a.topic.members || a.topic.id - b.topic.id,
  )) {
    await pause();
    const read = await describePassages(situation, topic);
    left -= countTokens(read.map(({ text }) => text).join('\n'));
    if (left < 0) break;
    for (const { passage, id } of read) passages.set(id, passage);
    lines.set(
      topic.id,
      read.map(({ text }) => text),
    );
  }
  const text = titles
    .sort((a, b) => a.topic.id - b.topic.id)
    .map(({ topic, text: title }) => [title, ...(lines.get(topic.id) ?? [])].join('\n'))
    .join('\n\n');
  return { text, passages };
}

function within<T extends { readonly text: string }>(all: readonly T[], maxTokens: number): T[] {
  let tokens = 0;
  return all.filter(({ text }) => (tokens += countTokens(text)) <= maxTokens);
}

/** `## 12: Hiking | 34 turns | 2024-05-01–2024-06-02 | below 3, 5` and the summary. */
function titleLine(
  { id, title, summary, members, firstAt, lastAt, parentIds }: Topic,
  timeZone: string,
): string {
  const period =
    firstAt === null || lastAt === null
      ? []
      : [`${localDate(firstAt, timeZone)}–${localDate(lastAt, timeZone)}`];
  const above = parentIds.length === 0 ? [] : [`below ${parentIds.join(', ')}`];
  const head = [
    `## ${id}: ${shortLine(title, MAX_TITLE_LENGTH)}`,
    `${members} turns`,
    ...period,
    ...above,
  ].join(' | ');
  return summary ? `${head}\n${shortLine(summary, MAX_SUMMARY_LENGTH)}` : head;
}

/** A line for each passage of a topic, with its weightiest turn, without secrets: `- 101 | 2024-05-01 | 6 turns | user: …` */
async function describePassages(
  { parts, common }: Situation,
  { id: topicId }: Topic,
): Promise<{ id: number; text: string; passage: Passage }[]> {
  const { store } = parts;
  const episodes = await membersOf(store, topicId);
  const vectors = await store.indexes.vectors.get(episodes.map(({ id }) => id));
  const members = episodes.map((episode) => memberOf(episode, vectors.get(episode.id), common));
  const weights = new Map(members.map(({ unitId, weight }) => [unitId, weight]));
  const open = new Map(
    episodes.filter(({ sensitivity }) => sensitivity !== 'secret').map((one) => [one.id, one]),
  );
  return passagesOf(members).flatMap((passage) => {
    const shown = passage.unitIds.flatMap((id) => open.get(id) ?? []);
    const [best] = shown.toSorted(
      (a, b) => (weights.get(b.id) ?? 0) - (weights.get(a.id) ?? 0) || a.id - b.id,
    );
    const id = passage.unitIds[0];
    if (!best || id === undefined) return [];
    const day = localDate(passage.from, store.timeZone);
    return [{ id, passage, text: `- ${id} | ${day} | ${passage.unitIds.length} turns | ${snippetOf(best)}` }];
  });
}

function snippetOf(episode: Episode): string {
  return `${episode.payload.speaker}: ${shortLine(unitText(episode), MAX_SNIPPET_LENGTH)}`;
}
