/** Extractive summaries: the most representative sentences, quoted. */
import { localDate, type Episode } from '../../model/model.ts';
import { detectLanguage, diceWith, terms, oneLine } from '../../text/text.ts';
import { isCompanion, isQuestion } from '../guard.ts';
import { tagCandidates } from '../reflect/reflect.ts';
import { sentencesOf } from '../sentences.ts';
import type { Material } from './material.ts';

interface Extract {
  readonly episode: Episode;
  readonly sentence: string;
}

const MAX_SENTENCES = 5;
/** The most sentences that are scored, from the most important episodes. */
const MAX_WEIGHED = 600;
/** How many of them, the best, are compared with each other. */
const MAX_COMPARED = 60;
const MAX_SENTENCE_LENGTH = 180;
const MIN_TERMS = 3;
/** The weight of the companion's sentences, which mostly repeat. */
const COMPANION_WEIGHT = 0.4;
const NAMED_WEIGHT = 1.5;
/** The weight of sentences about the two speakers, in a summary of their relationship. */
const PERSONAL_WEIGHT = 2;
const PERSONAL =
  /\b(?:you|your|thank|thanks|we|us|our|trust|friend|miss|love|glad|appreciate)\b|ありがとう|あなた|君|一緒|信じ|嬉し|うれし|友達|頼り|好き|谢谢|你|我们|咱们|一起|相信|朋友|开心|喜欢/i;
/** The weight of relevance versus novelty, 0 to 1. (Carbonell and Goldstein 1998: λ = 0.7) */
const LAMBDA = 0.7;

interface Weighed extends Extract {
  readonly place: number;
  readonly terms: ReadonlySet<string>;
  readonly score: number;
}

/**
 * At most five sentences, a line each (`2024-05-03 user: “…”`), in order of time: those nearest to the centroid of all
 * sentences' tf–idf (Radev et al. 2004), weighted by the episode's salience, each different from those chosen before it
 * (maximal marginal relevance).
 * @param isTold whether another summary contains the line
 */
export function extractSentences(
  material: Material,
  isTold: (line: string) => boolean,
  timeZone: string,
): string[] {
  const left = weighed(material)
    .filter((one) => !isTold(formatExtract(one, timeZone)))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, MAX_COMPARED);
  const chosen: { one: Weighed; likeness: (text: string) => number }[] = [];
  while (chosen.length < MAX_SENTENCES && left.length > 0) {
    const scored = left.map((one) => {
      const known = Math.max(0, ...chosen.map(({ likeness }) => likeness(one.sentence)));
      return LAMBDA * one.score - (1 - LAMBDA) * known;
    });
    const best = scored.indexOf(Math.max(...scored));
    const [one] = left.splice(best, 1);
    if (one) chosen.push({ one, likeness: diceWith(one.sentence) });
  }
  return chosen
    .map(({ one }) => one)
    .sort((a, b) => a.place - b.place)
    .map((one) => formatExtract(one, timeZone));
}

function weighed(material: Material): Weighed[] {
  const sentences = tellingSentences(material);
  const frequencies = new Map<string, number>();
  for (const { terms } of sentences)
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const idf = (term: string) => Math.log(1 + sentences.length / (frequencies.get(term) ?? 1));
  // Every sentence contains a term once, so its share of the centroid is its frequency times its idf.
  const centroid = (term: string) => (frequencies.get(term) ?? 0) * idf(term);
  const cosines = sentences.map(({ terms }) => {
    let dot = 0;
    let norm = 0;
    for (const term of terms) {
      dot += idf(term) * centroid(term);
      norm += idf(term) ** 2;
    }
    return dot / Math.sqrt(norm);
  });
  const max = Math.max(...cosines, Number.MIN_VALUE);
  return sentences.map((one, i) => ({ ...one, score: ((cosines[i] ?? 0) / max) * weightOf(one, material) }));
}

function weightOf({ episode, sentence }: Extract, { names, subject }: Material): number {
  const speaker = isCompanion(episode.payload.speaker) ? COMPANION_WEIGHT : 1;
  const named = names.some((name) => sentence.toLowerCase().includes(name.toLowerCase())) ? NAMED_WEIGHT : 1;
  const personal = subject.scope === 'relationship' && PERSONAL.test(sentence) ? PERSONAL_WEIGHT : 1;
  return (0.5 + episode.salience) * speaker * named * personal;
}

/** The declarative sentences, in order. */
function tellingSentences({ scenes, subject }: Material): Omit<Weighed, 'score'>[] {
  const told = scenes.flatMap(({ episode, text, language }) =>
    sentencesOf(text)
      .filter((sentence) => sentence.length <= MAX_SENTENCE_LENGTH && !isQuestion(sentence, language))
      .map((sentence) => ({ episode, sentence, terms: new Set(terms(sentence)) }))
      .filter((one) => one.terms.size >= MIN_TERMS),
  );
  const first = told
    .map((one, place) => ({ ...one, place }))
    .sort((a, b) => b.episode.salience - a.episode.salience || a.place - b.place)
    .slice(0, MAX_WEIGHED);
  const telling = first.filter(
    ({ sentence }) =>
      (subject.scope === 'relationship' && PERSONAL.test(sentence)) || namesSomething(sentence),
  );
  return telling.length > 0 ? telling : first;
}

/** “Hey, first day using this lol”, 都改好了, それもやってみます: a sentence without any noun tells nothing by itself. */
function namesSomething(sentence: string): boolean {
  return tagCandidates(sentence, detectLanguage(sentence), () => false).length > 0;
}

function formatExtract({ episode, sentence }: Extract, timeZone: string): string {
  const words = oneLine(sentence).replaceAll(/[“”"]/gu, "'");
  return `${localDate(episode.occurredAt, timeZone)} ${episode.payload.speaker}: “${words}”`;
}
