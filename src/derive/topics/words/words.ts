/** Title and summary of a topic, in the words of its turns. */
import { unitsOfKind, localDate, type Topic, type Unit } from '../../../model/model.ts';
import type { Store, TextStatistics } from '../../../store/store.ts';
import { detectLanguage, diceWith, terms, type Language, oneLine } from '../../../text/text.ts';
import type { DerivationParts } from '../../derivation.ts';
import { isCompanion, isQuestion } from '../../guard.ts';
import { plainScene, type Scene } from '../../scene.ts';
import { sentencesOf } from '../../sentences.ts';
import { sampleMembers, spread } from '../similarTopics.ts';
import { isPleasantry } from '../talk.ts';
import { phrasesIn, type Phrase } from './phrases.ts';

export interface Words {
  readonly title: string;
  /** Null when there is no declarative sentence. */
  readonly summary: string | null;
}

/**
 * The numbers of members at which the texts of a topic are made again: the first texts are from a single turn, the
 * subject is soon clear, and later the texts hardly change.
 */
const UPDATE_SIZES: readonly number[] = [3, 10, 30, 100];
/** The most members that are read, evenly spread. */
const MAX_READ = 24;
/** The most words whose document frequency is read, by their frequency here. */
const MAX_ASKED = 48;
/** The weight of the companion's turns, which mostly repeat. */
const COMPANION_WEIGHT = 0.4;

/** Whether a topic that has just gained `gained` members is due. */
export function isDue(members: number, gained: number): boolean {
  return UPDATE_SIZES.some((size) => members >= size && members - gained < size);
}

/** Title and summary for a new topic of these episodes, in their language and words. */
export async function nameTopic(
  { store }: Pick<DerivationParts, 'store'>,
  unitIds: readonly number[],
): Promise<Words> {
  return describe(store, scenesOf(await store.units.get(spread(unitIds, MAX_READ))));
}

/** New texts for an existing topic. */
export async function describeTopic(store: Store, topic: Topic): Promise<Words> {
  return describe(store, scenesOf(await store.units.get(await sampleMembers(store, topic.id, MAX_READ))));
}

function scenesOf(units: readonly Unit[]): Scene[] {
  return unitsOfKind('episode', units).map(plainScene);
}

/** Texts for these turns. Topics are visible to everyone, so secret and private turns are not used. */
export async function describe(store: Store, scenes: readonly Scene[]): Promise<Words> {
  const open = scenes.filter(
    ({ episode, text }) =>
      episode.sensitivity === 'normal' && episode.source !== 'meta_request' && text !== '',
  );
  const language = languageOf(open.length > 0 ? open : scenes);
  const speaking = open.filter((scene) => scene.language === language);
  const names = await namesIn(store, speaking);
  const found = countPhrases(speaking, language, names);
  const statistics = await store.indexes.text.statistics({ terms: askedTerms(found), speakers: [] });
  const rarity = (word: string) => rarityOf(word, statistics);
  const talk: Talk = { scenes: speaking, language, found, rarity };
  const title = titleOf(talk);
  const at = scenes[0]?.episode.occurredAt ?? 0;
  return {
    title: title ?? untitled(localDate(at, store.timeZone), language),
    summary: summaryOf(talk, title ?? ''),
  };
}

/** A phrase with its frequency; a turn of the companion counts less. */
interface Counted extends Phrase {
  turns: number;
  /** The position of its first occurrence. */
  readonly place: number;
}

interface Found {
  readonly phrases: readonly Counted[];
  /** For each word, in how many turns it is a name or noun, weighted by probability. */
  readonly words: ReadonlyMap<string, number>;
}

/** The turns to describe, what they are about, and how rare their words are in the memory. */
interface Talk {
  readonly scenes: readonly Scene[];
  readonly language: Language;
  readonly found: Found;
  readonly rarity: (word: string) => number;
}

function languageOf(scenes: readonly Scene[]): Language {
  return detectLanguage(scenes.map(({ text }) => text.slice(0, 100)).join('\n'));
}

/** A text without notes at its end: `[a photo of a bridge]`. If there is no other text, the notes. */
function withoutNotes(text: string): string {
  return text.replace(/\s*\[[^[\]]*\]\s*$/u, '') || text;
}

/** The known names in each of the episodes, as written. */
async function namesIn(store: Store, scenes: readonly Scene[]): Promise<Map<number, string[]>> {
  const mentions = await store.entities.ofUnits(scenes.map(({ episode }) => episode.id));
  const names = new Map<number, string[]>();
  for (const { unitId, surface } of mentions) names.set(unitId, [...(names.get(unitId) ?? []), surface]);
  return names;
}

function countPhrases(
  scenes: readonly Scene[],
  language: Language,
  names: ReadonlyMap<number, readonly string[]>,
): Found {
  const speakers = new Set(
    scenes.flatMap(({ episode }) => episode.payload.speaker.toLowerCase().split(/[\s+,/]+/)),
  );
  const isSpeaker = (word: string) =>
    [...speakers].some((name) => name === word || (word.length >= 3 && name.startsWith(word)));
  const isExcepted = (word: string) => isSpeaker(word) || isPleasantry(word);
  const phrases = new Map<string, Counted>();
  const words = new Map<string, number>();
  for (const { episode, text } of scenes) {
    const weight = isCompanion(episode.payload.speaker) ? COMPANION_WEIGHT : 1;
    const own = new Map(
      phrasesIn(withoutNotes(text), language, names.get(episode.id) ?? [], isExcepted).map((one) => [
        one.words.map(({ key }) => key).join('/'),
        one,
      ]),
    );
    for (const [key, phrase] of own) {
      const known = phrases.get(key);
      if (known) known.turns += weight;
      else phrases.set(key, { ...phrase, turns: weight, place: phrases.size });
    }
    const said = new Map(
      [...own.values()].flatMap((one) => one.words.map((word) => [word.key, word.weight])),
    );
    for (const [key, share] of said) words.set(key, (words.get(key) ?? 0) + weight * share);
  }
  return { phrases: [...phrases.values()], words };
}

function askedTerms({ words }: Found): string[] {
  const often = [...words].sort((a, b) => b[1] - a[1]).slice(0, MAX_ASKED);
  return [...new Set(often.flatMap(([word]) => word.split(' ')))];
}

/** With fewer texts the shares are not meaningful. */
const FEW_TEXTS = 50;
/** Words in fewer texts are not rated higher. */
const MIN_HOLDING = 4;

/** Inverse document frequency of a word: that of its rarest term. */
function rarityOf(word: string, { documents, documentFrequency }: TextStatistics): number {
  const holding = Math.min(...word.split(' ').map((term) => documentFrequency.get(term) ?? 0));
  return Math.log(1 + Math.max(documents, FEW_TEXTS) / Math.max(MIN_HOLDING, holding));
}

/** The additional value of each further word in a title, up to three words. */
const WORTH_OF_ANOTHER = 0.35;
const MAX_WORTH = 3;
const NAME_WORTH = 1.3;
/** In a talk with this many turns, a word that occurs once is rarely the subject. */
const LONG_TALK = 5;
const ONCE_WORTH = 0.5;
/** A phrase that extends the best one is preferred if it has at least this share of its score. */
const LONGER_SHARE = 0.7;
/** A second phrase is added to a title of one word if it has at least this share of the first one's score. */
const SECOND_SHARE = 0.6;

function titleOf({ scenes, language, found, rarity }: Talk): string | null {
  const turns = scenes.length;
  const scored = found.phrases
    .map((phrase) => ({
      ...phrase,
      score: worthOf(phrase, found, rarity) * (turns >= LONG_TALK && phrase.turns < 2 ? ONCE_WORTH : 1),
    }))
    .sort((a, b) => b.score - a.score || a.place - b.place);
  const [first] = scored;
  if (!first) return null;
  const best = scored.find((one) => isWithin(first, one) && one.score >= LONGER_SHARE * first.score) ?? first;
  const second = scored.find(
    ({ words, text, turns: times, score }) =>
      score >= SECOND_SHARE * best.score &&
      (turns < LONG_TALK || times >= 2) &&
      words.every(({ key }) => !best.words.some((word) => word.key === key)) &&
      !best.text.includes(text) &&
      !text.includes(best.text),
  );
  const isEnough = best.words.length > 1 || !second || turns < 3;
  return isEnough ? capitalised(best.text) : capitalised(JOINED[language](best.text, second.text));
}

/** Whether the other phrase contains all words of this one and more. */
function isWithin(one: Phrase, other: Phrase): boolean {
  return (
    other.words.length > one.words.length &&
    one.words.every(({ key }) => other.words.some((word) => word.key === key))
  );
}

const JOINED: Readonly<Record<Language, (one: string, other: string) => string>> = {
  en: (one, other) => `${one} and ${other}`,
  ja: (one, other) => `${one}と${other}`,
  zh: (one, other) => `${one}和${other}`,
};

function worthOf(phrase: Counted, { words }: Found, rarity: (word: string) => number): number {
  const said = phrase.words.map(({ key }) => words.get(key) ?? 0);
  const worth =
    phrase.words.reduce((sum, { key }, i) => sum + Math.log1p(said[i]!) * rarity(key), 0) / said.length;
  const together = 1 + WORTH_OF_ANOTHER * (Math.min(MAX_WORTH, said.length) - 1);
  // Words that mostly occur separately are not a phrase.
  const cohesion = Math.sqrt(Math.min(1, phrase.turns / Math.max(...said)));
  return worth * together * cohesion * (phrase.isName ? NAME_WORTH : 1);
}

/** The first part of a title, as terms: for “Pottery and class” it is “pottery”. */
export function themeOf(title: string): string {
  const [first = ''] = title.split(JOINED_BY);
  return terms(first).join(' ');
}

const JOINED_BY = /\sand\s|(?<=.)[と和](?=.)/u;

function capitalised(title: string): string {
  return title.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

function untitled(date: string, language: Language): string {
  return { en: `Talk on ${date}`, ja: `${date}の会話`, zh: `${date}的对话` }[language];
}

/** For one turn, UTF-16 units. */
const MAX_READ_LENGTH = 1_500;
const MAX_SENTENCE_LENGTH: Readonly<Record<Language, number>> = { en: 180, ja: 90, zh: 90 };
const MIN_SENTENCE_LENGTH: Readonly<Record<Language, number>> = { en: 16, ja: 8, zh: 6 };
const MAX_SENTENCES = 2;
/** From this similarity on (Dice of character n-grams), the second sentence repeats the first. */
const SAME = 0.5;
const TITLE_WORTH = 1.5;
const QUESTION_WORTH = 0.4;

/** The one or two most representative sentences, word for word, in order of time. */
function summaryOf({ scenes, language, found: { words }, rarity }: Talk, title: string): string | null {
  const weights = new Map<string, number>();
  for (const [word, turns] of words) {
    for (const term of word.split(' '))
      weights.set(term, Math.max(weights.get(term) ?? 0, Math.log1p(turns) * rarity(word)));
  }
  const titleTerms = new Set(terms(title));
  const scored = scenes
    .flatMap((scene) =>
      sentencesOf(withoutNotes(scene.text).slice(0, MAX_READ_LENGTH).toWellFormed()).map((sentence) => ({
        scene,
        sentence,
      })),
    )
    .map((one, place) => ({ ...one, place, score: worthOfSentence(one, weights, titleTerms) }))
    .filter(
      ({ sentence, score }) =>
        score > 0 &&
        sentence.length <= MAX_SENTENCE_LENGTH[language] &&
        sentence.length >= MIN_SENTENCE_LENGTH[language],
    )
    .sort((a, b) => b.score - a.score || a.place - b.place);
  const chosen: typeof scored = [];
  for (const one of scored) {
    const isSaid = chosen.some((other) => diceWith(other.sentence)(one.sentence) > SAME);
    if (!isSaid && chosen.length < MAX_SENTENCES) chosen.push(one);
  }
  const lines = chosen.sort((a, b) => a.place - b.place).map(({ sentence }) => oneLine(sentence));
  return lines.length > 0 ? lines.join(language === 'en' ? ' ' : '') : null;
}

function worthOfSentence(
  { scene, sentence }: { scene: Scene; sentence: string },
  weights: ReadonlyMap<string, number>,
  titleTerms: ReadonlySet<string>,
): number {
  const own = new Set(terms(sentence));
  if (own.size === 0) return 0;
  const sum = [...own].reduce((total, term) => total + (weights.get(term) ?? 0), 0);
  const isTitled = [...titleTerms].some((term) => own.has(term));
  return (
    (sum / Math.sqrt(own.size)) *
    (0.5 + scene.episode.salience) *
    (isTitled ? TITLE_WORTH : 1) *
    (isQuestion(sentence, scene.language) ? QUESTION_WORTH : 1) *
    (isCompanion(scene.episode.payload.speaker) ? COMPANION_WEIGHT : 1)
  );
}
