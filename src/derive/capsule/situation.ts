/** What is going on: who talks about what, in which mood, and what waits for an answer. */
import {
  DAY_MS,
  SENSITIVITIES,
  unitText,
  type Emotion,
  type Episode,
  type Instant,
  type Sensitivity,
} from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage, type Language } from '../../text/text.ts';
import { isCompanion, isQuestion, withoutEcho } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';
import { moodOf } from './mood.ts';

/** Episodes that the mood is read from, at most and at the oldest. */
const MAX_FELT = 60;
const OLDEST_FELT_MS = 3 * DAY_MS;
/** Turns of the conversation that are shown, and those whose topics are the present ones. */
const TURNS_SHOWN = 10;
const TURNS_PRESENT = 6;
const MAX_TOPICS = 4;
const MAX_QUESTIONS = 2;
/** After the last turn a state is present for so long. */
const LASTS_MS = DAY_MS / 2;

export interface Situation {
  /** Of the conversation spoken in last, the newest last. */
  readonly turns: readonly Episode[];
  readonly newest: Episode;
  readonly language: Language;
  readonly mood: Emotion;
  readonly topics: readonly string[];
  readonly earlierTopics: readonly string[];
  /** Questions after which nobody else has spoken. */
  readonly questions: readonly string[];
  /** Of the most sensitive of the turns. */
  readonly sensitivity: Sensitivity;
  readonly expiresAt: Instant;
  /** Everything that it is read from. */
  readonly episodes: readonly Episode[];
}

/** The present situation; null when nothing was said in the last twelve hours. */
export async function readSituation(store: Store, now: Instant): Promise<Situation | null> {
  const filter = { kinds: ['episode'], asOf: now, aliveAt: now, from: now - OLDEST_FELT_MS } as const;
  const found = (await store.units.list(filter, { limit: MAX_FELT })).filter(
    (unit) => unit.kind === 'episode',
  );
  const episodes = found.filter(({ source }) => source !== 'meta_request');
  const [newest] = episodes;
  if (!newest || newest.occurredAt + LASTS_MS <= now) return null;
  const conversation = episodes.filter(
    ({ payload }) => payload.conversationId === newest.payload.conversationId,
  );
  const turns = conversation.slice(0, TURNS_SHOWN).reverse();
  const language = detectLanguage(turns.map(wordsOf).join('\n'));
  const topics = leadingTopics(turns.slice(-TURNS_PRESENT), []);
  return {
    turns,
    newest,
    language,
    mood: moodOf(episodes, now),
    topics,
    earlierTopics: leadingTopics(
      episodes.filter((one) => !turns.slice(-TURNS_PRESENT).includes(one)).reverse(),
      topics,
    ),
    questions: openQuestions(turns, language),
    sensitivity: mostSensitive(turns),
    expiresAt: newest.occurredAt + LASTS_MS,
    episodes,
  };
}

/** What was said, without what a pack had put there. */
export function wordsOf(episode: Episode): string {
  return withoutEcho(unitText(episode));
}

/** Topics of episodes, oldest first, by how often and how late they come; the first of an episode counts most. */
function leadingTopics(episodes: readonly Episode[], except: readonly string[]): string[] {
  const weights = new Map<string, number>();
  for (const [at, episode] of episodes.entries()) {
    const weight = ((at + 1) / episodes.length) * (isCompanion(episode.payload.speaker) ? 0.5 : 1);
    for (const [rank, tag] of episode.topicTags.entries())
      weights.set(tag, (weights.get(tag) ?? 0) + weight / (1 + rank / 2));
  }
  return [...weights]
    .filter(([tag]) => !except.includes(tag))
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_TOPICS)
    .map(([tag]) => tag);
}

/** What was asked in the turns since somebody else spoke. */
function openQuestions(turns: readonly Episode[], language: Language): string[] {
  const last = turns.at(-1)?.payload.speaker;
  const since = turns.findLastIndex((turn) => turn.payload.speaker !== last) + 1;
  return turns
    .slice(since)
    .flatMap((turn) => sentencesOf(wordsOf(turn)).filter((sentence) => isQuestion(sentence, language)))
    .slice(-MAX_QUESTIONS);
}

function mostSensitive(turns: readonly Episode[]): Sensitivity {
  const ranks = turns.map((turn) => SENSITIVITIES.indexOf(turn.sensitivity));
  return SENSITIVITIES[Math.max(0, ...ranks)] ?? 'normal';
}
