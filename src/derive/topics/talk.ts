/** The talk around a turn: the turns before it in its conversation, up to the last long pause. */
import type { Episode } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { tagCandidates } from '../reflect/reflect.ts';
import { plainScene, type Scene } from '../scene.ts';
import type { VectorSource } from './vectors.ts';

/** A turn prepared for comparison. */
export interface Moment extends Scene {
  /** How much it shows its subject, 0 to 1: c / (c + 2) for c words that may be names or nouns; 0 for “thanks!”. */
  readonly weight: number;
  readonly vector: Float32Array | null;
}

/** How many turns back are read. */
const TURNS_BACK = 24;
/** After a longer pause, such as a night, a conversation starts again. */
const LONG_PAUSE_MS = 3 * 3_600_000;
/** The number of words at which the weight is ½. */
const HALF_WORDS = 2;

/** Words of greeting, thanks, laughter and filling that look like nouns. */
const PLEASANTRY =
  /^(?:[哈呵嘻嘿嗯哦噢啊呀哇]+|早安|晚安|午安|你好|拜拜|好呀|[w草笑]+|挨拶|承知|了解|お疲れ|失礼|morning|evening|night|cheers|welcome|congrats|congratulations|gosh|yay|wow|aww?|hug|hugs|huh|hmm|mems|pics?|vids?|fave|bet|younger|older|bigger|smaller|catch|rush|capture|decent|will|may|always|never|another|gonna|ttyl|fam|mon|tues?|wed|thurs?|fri|sat|sun)$/i;

/** @param word in lower case */
export function isPleasantry(word: string): boolean {
  return PLEASANTRY.test(word);
}

export async function readMoments(
  episodes: readonly Episode[],
  source: VectorSource,
  signal: AbortSignal,
): Promise<Moment[]> {
  const vectors = await source.of(
    episodes.filter(hasWords).map(({ id }) => id),
    signal,
  );
  return episodes.map((episode) => {
    const scene = plainScene(episode);
    const vector = vectors.get(episode.id) ?? null;
    return { ...scene, vector, weight: hasWords(episode) && vector ? weightOf(scene) : 0 };
  });
}

/** The text of a meta request is not stored. */
function hasWords(episode: Episode): boolean {
  return episode.source !== 'meta_request';
}

/** The beginning of a longer text is sufficient, UTF-16 units. */
const MAX_SAMPLE_LENGTH = 300;

function weightOf({ text, language }: Scene): number {
  const sample = text.slice(0, MAX_SAMPLE_LENGTH).toWellFormed();
  const words = tagCandidates(sample, language, isPleasantry).reduce(
    (sum, candidate) => sum + Math.min(1, candidate.weight),
    0,
  );
  return words / (words + HALF_WORDS);
}

/** The ids of the turns before each of these in its conversation, oldest first. */
export async function idsBefore(
  store: Store,
  episodes: readonly Episode[],
): Promise<Map<number, readonly number[]>> {
  const reach = { before: TURNS_BACK, after: 0 };
  const around = await store.units.neighbours(
    episodes.map(({ id }) => id),
    reach,
  );
  return new Map(around.map(({ unitId, before }) => [unitId, before]));
}

/** The turns since the last long pause. */
export function sincePause(before: readonly Moment[], moment: Moment): Moment[] {
  let next = moment.episode.occurredAt;
  let from = before.length;
  while (from > 0) {
    const at = before[from - 1]!.episode.occurredAt;
    if (next - at > LONG_PAUSE_MS) break;
    next = at;
    from -= 1;
  }
  return before.slice(from);
}

/** Whether a turn shows its subject: about half a word. */
export function isTelling({ weight }: Moment): boolean {
  return weight >= 0.2;
}

/** Words with which a speaker changes the subject. */
const CUE: Readonly<Record<Moment['language'], RegExp>> = {
  en: /\b(?:by the way|btw|speaking of|on another note|changing the subject|change of subject|that reminds me|anyways?, (?:how|what|did|have|are|i))\b/i,
  ja: /^[^。、！？!?]{0,6}(?:ところで|そういえば|それはそうと|そうそう)|話(?:題)?(?:は|が|を)(?:変|移|替)|別の話|次の話題|(?:について|の話を?)(?:話しま|お話し|聞かせ|語り|しましょ)/,
  zh: /^(?:[^，。！？]{0,4})(?:话说|話說|对了|對了|说起|說起)|换个话题|換個話題|聊点别的|聊點別的|说点别的/,
};

export function changesSubject({ text, language }: Moment): boolean {
  return CUE[language].test(text);
}
