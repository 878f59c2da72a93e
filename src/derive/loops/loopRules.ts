/** Finds open loops and their ends by rules. */
import type { Instant } from '../../model/model.ts';
import { detectLanguage } from '../../text/text.ts';
import { isCompanion, isHypothetical, isQuestion } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';
import type { Scene } from '../scene.ts';
import { dueIn } from './due.ts';
import { LOOP_WORDS, type Intent, type LoopWords } from './loopWords.ts';

/** Increase with every change of the rules: earlier results are then derived again. */
export const RULES_VERSION = 1;

/** Something to be done. */
export interface FoundLoop {
  readonly text: string;
  readonly dueAt: Instant | null;
  readonly confidence: number;
}

/** Words that may say that a task was done or cancelled. */
export interface Ending {
  readonly words: string;
  readonly status: 'done' | 'dropped';
}

export interface Intentions {
  readonly found: readonly FoundLoop[];
  readonly endings: readonly Ending[];
}

const MAX_TOLD_LENGTH = 1_200;
const MAX_LOOP_LENGTH = 160;
const MIN_CHARS = 4;
/** With a due time it is a plan; without one it may only be a phrase. */
const CONFIDENCE = { due: 0.55, open: 0.4 } as const;
/** Requests, which may also be questions: “can you remind me …?” */
const REQUEST = /remind me|リマインドして|思い出させて|教えてくれ|起こしてくれ|提醒我|叫我/i;

const CLAUSE_END = /[，,；;]\s*|(?<=[てでがし])、|\b(?:and|but|so)\b (?=(?:i|we|i'll|i'm)\b)/i;

/** The promises, plans and duties in a turn, and what it says was done. */
export function intentionsIn(scene: Scene, timeZone: string): Intentions {
  const { episode, text } = scene;
  if (text.length > MAX_TOLD_LENGTH) return { found: [], endings: [] };
  const saidBy = isCompanion(episode.payload.speaker) ? 'companion' : 'person';
  const found: FoundLoop[] = [];
  const endings: Ending[] = [];
  for (const sentence of sentencesOf(text)) {
    const language = detectLanguage(sentence, scene.language);
    const words = LOOP_WORDS[language];
    if (!REQUEST.test(sentence) && (isQuestion(sentence, language) || isHypothetical(sentence, language)))
      continue;
    const ending = endingIn(sentence, words);
    if (ending) endings.push(ending);
    else found.push(...loopsIn(sentence, words, saidBy, episode.occurredAt, timeZone));
  }
  return { found, endings };
}

function endingIn(sentence: string, { done, notDone, dropped }: LoopWords): Ending | null {
  if (dropped.test(sentence)) return { words: sentence, status: 'dropped' };
  const isDone = sentence.split(CLAUSE_END).some((clause) => done.test(clause) && !notDone.test(clause));
  return isDone ? { words: sentence, status: 'done' } : null;
}

function loopsIn(
  sentence: string,
  words: LoopWords,
  saidBy: 'companion' | 'person',
  saidAt: Instant,
  timeZone: string,
): FoundLoop[] {
  const text = sentence
    .replace(words.opening, '')
    .replace(/[\s。.！!～~…]+$/u, '')
    .trim();
  if (text.length < MIN_CHARS || text.length > MAX_LOOP_LENGTH || words.idle.test(text)) return [];
  const clauses = text.split(CLAUSE_END);
  const isMeant = ({ pattern, needsTime, companion, person }: Intent) => {
    if ((companion && saidBy === 'person') || (person && saidBy === 'companion')) return false;
    const isSaid = pattern.test(text) || clauses.some((clause) => pattern.test(clause.trim()));
    return isSaid && (!needsTime || dueIn(text, saidAt, timeZone) !== null);
  };
  if (!words.intents.some(isMeant)) return [];
  const dueAt = dueIn(text, saidAt, timeZone);
  return [{ text, dueAt, confidence: dueAt === null ? CONFIDENCE.open : CONFIDENCE.due }];
}
