/** To which topic a turn belongs, as a language model sees it. */
import { z } from 'zod';
import type { Topic } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage, type Language } from '../../text/text.ts';
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
/** Less likely ones are not shown. */
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

/** What the model says, as far as it can be kept. */
export type Answer =
  | { readonly type: 'match'; readonly topic: Topic; readonly summary: string | null }
  | { readonly type: 'new'; readonly words: Words };

/**
 * Whether rules are not sure. They are of turns that tell nothing and of talk that plainly goes on; what is secret is
 * told to no model.
 */
export function isWorthAsking(talk: Talk): boolean {
  const { moment } = talk;
  return isTelling(moment) && moment.episode.sensitivity !== 'secret' && !isSure(talk);
}

/**
 * Null when the answer cannot be used: it names a topic that was not shown, or has no title in the language of the talk.
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

/** What is talked about, and what it is like. */
export async function topicsToShow(
  store: Store,
  { moment, before, current, common }: Talk,
  source: VectorSource,
  signal: AbortSignal,
): Promise<Topic[]> {
  const said = before.filter(({ topicId }) => topicId === current?.id).map((one) => one.moment);
  const query = { moments: [...said, moment], common: common ?? [], source, leastScore: MIN_SCORE };
  const similar = await findSimilarTopics(store, { ...query, exceptId: current?.id ?? null }, signal);
  const others = await store.topics.get(similar.map(({ topicId }) => topicId));
  return current ? [current, ...others] : others;
}

/** A line each, or a dash. */
export function formatTopics(topics: readonly Topic[]): string {
  return topics.map(formatTopic).join('\n') || NOTHING_SHOWN;
}

function formatTopic({ id, title, summary }: Topic): string {
  const words = summary ? `${title}: ${summary}` : title;
  return `${id}: ${words.replaceAll(/\s+/gu, ' ')}`;
}

/** Words on one line and in the language of the talk that are no instruction; else null. */
function keepable(words: string, mostChars: number, language: Language, prompt: Prompt): string | null {
  const line = words.replaceAll(/\s+/gu, ' ').trim();
  const isEcho = isFromPrompt(line, prompt);
  return isWorthKeeping(line, mostChars) && !isEcho && detectLanguage(line, language) === language
    ? line
    : null;
}
