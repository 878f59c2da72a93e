/** The current situation: who talks about what, in which mood, and which questions are open. */
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
import { isCompanion, isQuestion, withoutPackText } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';
import { moodOf } from './mood.ts';

/** The most episodes for the mood, and their maximum age. */
const MAX_FELT = 60;
const OLDEST_FELT_MS = 3 * DAY_MS;
/** How many turns of the conversation are shown, and how many determine the current topics. */
const TURNS_SHOWN = 10;
const TURNS_PRESENT = 6;
const MAX_TOPICS = 4;
const MAX_QUESTIONS = 2;
/** A state is current for this long after the last turn. */
const LASTS_MS = DAY_MS / 2;

export interface Situation {
  /** Of the most recent conversation, the newest last. */
  readonly turns: readonly Episode[];
  readonly newest: Episode;
  readonly language: Language;
  readonly mood: Emotion;
  readonly topics: readonly string[];
  readonly earlierTopics: readonly string[];
  /** Questions that nobody else has answered by a turn yet. */
  readonly questions: readonly string[];
  /** The highest sensitivity of the turns. */
  readonly sensitivity: Sensitivity;
  readonly expiresAt: Instant;
  /** All episodes that were read. */
  readonly episodes: readonly Episode[];
}

/** The current situation; null when nothing was said in the last twelve hours. */
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

/** The text of a turn, without text copied from a pack. */
export function wordsOf(episode: Episode): string {
  return withoutPackText(unitText(episode));
}

/** Topics of episodes, oldest first, by frequency and recency; the first topic of an episode counts most. */
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

/** The questions in the turns since another speaker's last turn. */
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
