/** Finds emotion, topics and salience of an episode by rules. */
import { feelingWords, inferEmotion } from '../../llm/llm.ts';
import type { Emotion } from '../../model/model.ts';
import type { Store, TextStatistics } from '../../store/store.ts';
import { isCompanion } from '../guard.ts';
import type { Scene } from '../scene.ts';
import { confidenceOf, salienceOf } from './salience.ts';
import { chooseTags, tagCandidates, type TagCandidate } from './topicTags.ts';

/** Increase with every change of the rules' results. */
export const RULES_VERSION = 2;

/** The results for an episode. */
export interface Reflection {
  readonly emotion: Emotion;
  readonly topicTags: readonly string[];
  readonly salience: number;
  readonly confidence: number;
  /** One sentence; null without a model. */
  readonly note: string | null;
}

/** Processes scenes together, so that the memory's statistics are read only once. */
export async function reflectByRules(store: Store, scenes: readonly Scene[]): Promise<Reflection[]> {
  const speakers = speakersOf(scenes);
  const readings = scenes.map((scene) => read(scene, speakers));
  const asked = new Set(
    readings.flatMap(({ candidates }) => candidates.flatMap((candidate) => candidate.terms)),
  );
  const statistics = await store.indexes.text.statistics({ terms: [...asked], speakers: [] });
  const times = await store.indexes.times.of(scenes.map(({ episode }) => episode.id));
  return readings.map((reading) => {
    const namesTime = (times.get(reading.scene.episode.id)?.length ?? 0) > 0;
    return conclude(reading, namesTime, statistics);
  });
}

interface Reading {
  readonly scene: Scene;
  readonly emotion: Emotion;
  readonly candidates: readonly TagCandidate[];
}

/** The words of the speakers' names: addressing somebody is not a topic. */
function speakersOf(scenes: readonly Scene[]): Set<string> {
  return new Set(scenes.flatMap(({ episode }) => episode.payload.speaker.toLowerCase().split(/[\s+,/]+/)));
}

function read(scene: Scene, speakers: ReadonlySet<string>): Reading {
  const { text, language } = scene;
  const emotion = inferEmotion(text, language);
  const words = feelingWords(text, language);
  const isSpeaker = (word: string) => word.length >= 3 && [...speakers].some((name) => name.startsWith(word));
  const candidates = tagCandidates(text, language, (word) => words.has(word) || isSpeaker(word));
  return { scene, emotion, candidates };
}

/** Only this many UTF-16 units of longer texts are read. */
const MAX_TEXT_LENGTH = 8_000;
/** The companion's turns are less important: they are generated, and mostly repeat. */
const COMPANION_SHARE = 0.6;

function conclude(
  { scene, emotion, candidates }: Reading,
  namesTime: boolean,
  statistics: TextStatistics,
): Reflection {
  const names = candidates.some((candidate) => candidate.isName);
  const text = scene.text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
  const utterance = { text, language: scene.language, emotion, namesTime, names };
  const share = isCompanion(scene.episode.payload.speaker) ? COMPANION_SHARE : 1;
  return {
    emotion,
    topicTags: chooseTags(candidates, statistics),
    salience: Math.round(salienceOf(utterance) * share * 100) / 100,
    confidence: confidenceOf(utterance),
    note: null,
  };
}
