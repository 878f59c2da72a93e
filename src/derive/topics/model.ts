/** Chooses the topic of a turn by a language model. */
import { z } from 'zod';
import type { Topic } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage, type Language, oneLine } from '../../text/text.ts';
import { isWorthKeeping } from '../guard.ts';
import { isFromPrompt, type Prompt } from '../prompts.ts';
import { findSimilarTopics } from './similarTopics.ts';
import { isSure, type Talk } from './rules.ts';
import { isTelling } from './talk.ts';
import type { VectorSource } from './vectors.ts';
import type { Words } from './words/words.ts';

export const MODEL_SOURCE = 'assign_topic';
const MAX_TITLE_LENGTH = 80;
const MAX_SUMMARY_LENGTH = 400;
/** Candidates with a lower score are not shown. */
const MIN_SCORE = 0.1;
const NOTHING_SHOWN = '-';

export const topicSchema = z.object({
  topic: z.object({
    decision: z.enum(['BEST_MATCH', 'NEW']),
    topicId: z.int().nullable(),
    title: z.string(),
    summary: z.string(),
  }),
});

/** The usable parts of the model's answer. */
export type Answer =
  | { readonly type: 'match'; readonly topic: Topic; readonly summary: string | null }
  | { readonly type: 'new'; readonly words: Words };

/**
 * Whether rules are uncertain. They are not for turns that mean nothing by themselves and for talk that clearly
 * continues; secrets are never sent to a model.
 */
export function isWorthAsking(talk: Talk): boolean {
  const { moment } = talk;
  return isTelling(moment) && moment.episode.sensitivity !== 'secret' && !isSure(talk);
}

/**
 * Null when the answer is unusable: it names a topic that was not shown, or has no title in the language of the talk.
 */
export function checkAnswer(
  { topic: reply }: z.infer<typeof topicSchema>,
  { shown, prompt, language }: { shown: readonly Topic[]; prompt: Prompt; language: Language },
): Answer | null {
  const summary = keepable(reply.summary, MAX_SUMMARY_LENGTH, language, prompt);
  if (reply.decision === 'BEST_MATCH') {
    const topic = shown.find(({ id }) => id === reply.topicId);
    return topic ? { type: 'match', topic, summary } : null;
  }
  const title = keepable(reply.title, MAX_TITLE_LENGTH, language, prompt);
  return title === null ? null : { type: 'new', words: { title, summary } };
}

/** The current topic, and similar ones. */
export async function topicsToShow(
  store: Store,
  { moment, before, current, common }: Talk,
  source: VectorSource,
  signal: AbortSignal,
): Promise<Topic[]> {
  const said = before.filter(({ topicId }) => topicId === current?.id).map((one) => one.moment);
  const query = { moments: [...said, moment], common: common ?? [], source, minScore: MIN_SCORE };
  const similar = await findSimilarTopics(store, { ...query, exceptId: current?.id ?? null }, signal);
  const others = await store.topics.get(similar.map(({ topicId }) => topicId));
  return current ? [current, ...others] : others;
}

/** One line each, or a dash. */
export function formatTopics(topics: readonly Topic[]): string {
  return topics.map(formatTopic).join('\n') || NOTHING_SHOWN;
}

function formatTopic({ id, title, summary }: Topic): string {
  const words = summary ? `${title}: ${summary}` : title;
  return `${id}: ${oneLine(words)}`;
}

/** Text on one line, in the language of the talk and not copied from the prompt; else null. */
function keepable(words: string, maxChars: number, language: Language, prompt: Prompt): string | null {
  const line = oneLine(words);
  const isEcho = isFromPrompt(line, prompt);
  return isWorthKeeping(line, maxChars) && !isEcho && detectLanguage(line, language) === language
    ? line
    : null;
}
