/** To which topic a turn belongs, as a language model sees it. */
import { z } from 'zod';
import type { LanguageModel } from '../../llm/llm.ts';
import type { Topic } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage } from '../../text/text.ts';
import { hasEvidence, isWorthKeeping } from '../guard.ts';
import { fillPrompt, promptFor, type Prompt } from '../prompts.ts';
import { formatBefore, formatTurn, readScene, type Scene } from '../scene.ts';
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

const schema = z.object({
  decision: z.enum(['BEST_MATCH', 'NEW']),
  topicId: z.int().nullable(),
  title: z.string(),
  summary: z.string(),
  reason: z.string(),
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
 * @throws MemoryError MODEL_FAILED
 */
export async function askForTopic(
  store: Store,
  { talk, model, source }: { talk: Talk; model: LanguageModel; source: VectorSource },
  signal: AbortSignal,
): Promise<Answer | null> {
  const scene = await readScene(store, talk.moment.episode);
  const prompt = promptFor(MODEL_SOURCE, scene.language);
  const shown = await topicsToShow(store, talk, source, signal);
  const request = fillPrompt(prompt, {
    topics: shown.map(formatTopic).join('\n') || NOTHING_SHOWN,
    before: formatBefore(scene, store.timeZone),
    episode: formatTurn(scene.episode, scene.text, store.timeZone),
  });
  const { value } = await model.generateObject(
    { purpose: MODEL_SOURCE, name: 'topic', schema, temperature: 0, ...request },
    signal,
  );
  const summary = keepable(value.summary, MAX_SUMMARY_LENGTH, scene, prompt);
  if (value.decision === 'BEST_MATCH') {
    const topic = shown.find(({ id }) => id === value.topicId);
    return topic ? { type: 'match', topic, summary } : null;
  }
  const title = keepable(value.title, MAX_TITLE_LENGTH, scene, prompt);
  return title === null ? null : { type: 'new', words: { title, summary } };
}

/** What is talked about, and what it is like. */
async function topicsToShow(
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

function formatTopic({ id, title, summary }: Topic): string {
  const words = summary ? `${title}: ${summary}` : title;
  return `${id}: ${words.replaceAll(/\s+/gu, ' ')}`;
}

/** Words on one line and in the language of the talk that are no instruction; else null. */
function keepable(words: string, mostChars: number, { language }: Scene, prompt: Prompt): string | null {
  const line = words.replaceAll(/\s+/gu, ' ').trim();
  const isEcho = hasEvidence(line, prompt.system);
  return isWorthKeeping(line, mostChars) && !isEcho && detectLanguage(line, language) === language
    ? line
    : null;
}
