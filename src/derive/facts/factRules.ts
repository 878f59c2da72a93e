/** Facts by rules: few, but what they say was said. */
import { wallClockToInstant, type Instant } from '../../model/model.ts';
import { detectLanguage, findTimes, type Language } from '../../text/text.ts';
import { isCompanion, isHypothetical, isQuestion, isWorthKeeping } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';
import type { Scene } from '../scene.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import type { FoundFact } from './found.ts';
import { japanese } from './japanese.ts';
import { wordingOf, type PredicateName } from './predicates.ts';
import { readSentence, type Reader, type Saying } from './rule.ts';
import { writeSubject, type UserNames } from './subjects.ts';

/** Grows with every change of the rules: what was derived before is then derived anew. */
export const RULES_VERSION = 2;

/** A longer turn is more likely pasted than said, UTF-16 units. */
const MAX_TOLD_LENGTH = 1_200;
const MAX_SENTENCE_LENGTH = 300;
const MAX_WORDS_LENGTH = 60;

const READERS: Readonly<Record<Language, Reader>> = { en: english, ja: japanese, zh: chinese };

/** What the speaker says of itself. */
export function sayingsIn(scene: Scene): Saying[] {
  if (isCompanion(scene.episode.payload.speaker) || scene.text.length > MAX_TOLD_LENGTH) return [];
  return sentencesOf(scene.text).flatMap((sentence) => {
    const language = detectLanguage(sentence, scene.language);
    if (sentence.length > MAX_SENTENCE_LENGTH) return [];
    if (isQuestion(sentence, language) || isHypothetical(sentence, language)) return [];
    return readSentence(sentence, READERS[language]);
  });
}

/** The facts in what was said. @param timeZone IANA zone of the memory's wall clock */
export function factsOf(
  scene: Scene,
  sayings: readonly Saying[],
  user: UserNames,
  timeZone: string,
): FoundFact[] {
  return sayings.flatMap((saying) => {
    const { language, predicate, of, ends, begins, confidence } = saying;
    const object = writeObject(saying.object, predicate, language);
    if (!ends && !isWorthKeeping(object, MAX_WORDS_LENGTH)) return [];
    const since = begins || ends ? sinceWhen(saying, scene.episode.occurredAt, timeZone) : null;
    return [
      {
        subject: writeSubject(scene.episode.payload.speaker, saying.whose, user, language),
        predicate: wordingOf(predicate, language, of === undefined ? of : singular(of)),
        object,
        validFrom: ends ? null : since,
        validTo: ends ? since : null,
        confidence,
        ends,
        contradicts: null,
      },
    ];
  });
}

function writeObject(object: string, predicate: PredicateName, language: Language): string {
  const plain = object.normalize('NFKC');
  if (predicate !== 'age') return object;
  return { en: plain, ja: `${plain}歳`, zh: `${plain}岁` }[language];
}

function singular(thing: string): string {
  return thing.toLowerCase().replace(/(?<=ch|sh|ss|x)es$|(?<=[a-z]{2}[^su])s$/, '');
}

/** Since when it is, by what is said: in the clause itself, or alone before it (先週、大阪に引っ越した). */
function sinceWhen({ clause, before }: Saying, saidAt: Instant, timeZone: string): Instant | null {
  return pastTimeIn(clause, saidAt, timeZone) ?? pastTimeIn(before, saidAt, timeZone, before.length);
}

/**
 * The beginning of the first time gone by that is named.
 * @param leastLength of the words that name it, UTF-16 units
 */
function pastTimeIn(text: string, saidAt: Instant, timeZone: string, leastLength = 0): Instant | null {
  const options = { reference: new Date(saidAt), timeZone, prefer: 'past' } as const;
  for (const { from, timex, vague, start, end } of findTimes(text, options)) {
    if (from === null || vague || timex === 'PRESENT_REF' || end - start < leastLength) continue;
    const instant = wallClockToInstant(from, timeZone);
    if (instant <= saidAt) return instant;
  }
  return null;
}
