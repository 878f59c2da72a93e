/** Finds facts by rules: few, but reliable ones. */
import { wallClockToInstant, type Instant, type UnitOf } from '../../model/model.ts';
import { detectLanguage, findTimes, type Language } from '../../text/text.ts';
import { isHypothetical, isQuestion, isWorthKeeping } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';
import type { Scene } from '../scene.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import type { FoundFact } from './foundFact.ts';
import { japanese } from './japanese.ts';
import { personNames } from './personNames.ts';
import { predicateWording, type PredicateName } from '../../text/text.ts';
import { readPeople, readStatements, type Reader, type Statement } from './rule.ts';
import { userNames, writeSubject } from './subjects.ts';

/** Increase with every change of the rules: earlier results are then derived again. */
export const RULES_VERSION = 4;

/** A longer turn is probably pasted, UTF-16 units. */
const MAX_TURN_LENGTH = 1_200;
const MAX_SENTENCE_LENGTH = 300;
const MAX_WORDS_LENGTH = 60;

const READERS: Readonly<Record<Language, Reader>> = { en: english, ja: japanese, zh: chinese };

/** A text to be written for somebody, or a role to play: “I” in it is not the speaker. */
const FICTION =
  /\b(?:lyrics?|characters?|role-?play(?:ing)?|act as|pretend|stor(?:y|ies)|essays?|poems?|novels?|fiction|prompts?|chapter|scenes?)\b|小説|歌詞|台詞|セリフ|あらすじ|主人公|夢の中|小说|歌词|台词|剧本|作文|扮演|主角|梦里|帮我写|写一[封篇首]/iu;

/** Splits at “but”: the second half may be a statement even if the first half is imagined. */
function splitAtBut(sentence: string): string[] {
  return sentence.split(/,? but (?=(?:I|we|my)\b)|[，,]?(?:但是?|不过|可是)(?=我)/iu);
}

/**
 * The facts in a turn: about the speaker and the speaker's people and animals.
 * @param known known facts: the user's name, and the names of the speaker's people
 * @param timeZone IANA zone of the memory's wall clock
 */
export function factsOf(scene: Scene, known: readonly UnitOf<'fact'>[], timeZone: string): FoundFact[] {
  const user = userNames(known);
  return statementsIn(
    scene,
    known.flatMap(({ payload }) => personNames(payload.predicate, payload.object)),
  ).flatMap((saying) => {
    const { language, predicate, whose, named, of, ends, begins, confidence } = saying;
    const object = writeObject(saying.object, predicate, language);
    if (!ends && !isWorthKeeping(object, MAX_WORDS_LENGTH)) return [];
    const since = begins || ends ? startOfValidity(saying, scene.episode.occurredAt, timeZone) : null;
    return [
      {
        subject: named ?? writeSubject(scene.episode.payload.speaker, whose, user, language),
        predicate: predicateWording(predicate, language, of === undefined ? of : singular(of)),
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

/** @param names of the speaker's people, as far as known */
function statementsIn(scene: Scene, names: readonly string[]): Statement[] {
  if (scene.text.length > MAX_TURN_LENGTH) return [];
  const people = [...names];
  const found = sentencesOf(scene.text)
    .flatMap(splitAtBut)
    .flatMap((sentence, i, sentences) => {
      const language = detectLanguage(sentence, scene.language);
      if (sentence.length > MAX_SENTENCE_LENGTH || FICTION.test(sentence)) return [];
      if (isHypothetical(sentence, language)) return [];
      const reader = READERS[language];
      const named = readPeople(sentence, reader);
      people.push(...named.flatMap(({ predicate, object }) => personNames(predicate, object)));
      if (isQuestion(sentence, language)) return named;
      const context = { before: sentences[i - 1] ?? '', names: people };
      return [...named, ...readStatements(sentence, reader, context)];
    });
  const keyOf = ({ predicate, object, whose, named, ends }: Statement) =>
    [predicate, object, whose, named, ends].join('\n');
  return [...new Map(found.map((saying) => [keyOf(saying), saying])).values()];
}

function writeObject(object: string, predicate: PredicateName, language: Language): string {
  const plain = object.normalize('NFKC');
  if (predicate !== 'age') return object;
  return { en: plain, ja: `${plain}歳`, zh: `${plain}岁` }[language];
}

function singular(thing: string): string {
  return thing.toLowerCase().replace(/(?<=ch|sh|ss|x)es$|(?<=[a-z]{2}[^su])s$/, '');
}

/** Since when it is true, by the clause itself, or by the text before it (先週、大阪に引っ越した). */
function startOfValidity({ clause, before }: Statement, saidAt: Instant, timeZone: string): Instant | null {
  return pastTimeIn(clause, saidAt, timeZone) ?? pastTimeIn(before, saidAt, timeZone, before.length);
}

/**
 * The start of the first past time that is named.
 * @param minLength of the words that name it, UTF-16 units
 */
function pastTimeIn(text: string, saidAt: Instant, timeZone: string, minLength = 0): Instant | null {
  const options = { reference: new Date(saidAt), timeZone, prefer: 'past' } as const;
  for (const { from, timex, vague, start, end } of findTimes(text, options)) {
    if (from === null || vague || timex === 'PRESENT_REF' || end - start < minLength) continue;
    const instant = wallClockToInstant(from, timeZone);
    if (instant <= saidAt) return instant;
  }
  return null;
}
