/** Finds open loops and their ends by rules. */
import type { Instant } from '../../model/model.ts';
import { detectLanguage } from '../../text/text.ts';
import { isCompanion, isHypothetical, isQuestion } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';
import type { Scene } from '../scene.ts';
import { dueIn } from './due.ts';
import { LOOP_WORDS, type LoopWords } from './loopWords.ts';

/** Increase with every change of the rules: earlier results are then derived again. */
export const RULES_VERSION = 2;

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

const MAX_TURN_LENGTH = 1_200;
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
  if (text.length > MAX_TURN_LENGTH) return { found: [], endings: [] };
  const speech = { byCompanion: isCompanion(episode.payload.speaker), at: episode.occurredAt, timeZone };
  const found: FoundLoop[] = [];
  const endings: Ending[] = [];
  for (const sentence of sentencesOf(text)) {
    const language = detectLanguage(sentence, scene.language);
    const words = LOOP_WORDS[language];
    if (!REQUEST.test(sentence) && (isQuestion(sentence, language) || isHypothetical(sentence, language)))
      continue;
    const ending = endingIn(sentence, words);
    if (ending) endings.push(ending);
    else found.push(...loopsIn(sentence, words, speech));
  }
  return { found, endings };
}

function endingIn(sentence: string, { done, notDone, dropped }: LoopWords): Ending | null {
  if (dropped.test(sentence)) return { words: sentence, status: 'dropped' };
  const isDone = sentence.split(CLAUSE_END).some((clause) => done.test(clause) && !notDone.test(clause));
  return isDone ? { words: sentence, status: 'done' } : null;
}

interface Speech {
  readonly byCompanion: boolean;
  readonly at: Instant;
  readonly timeZone: string;
}

function loopsIn(sentence: string, words: LoopWords, { byCompanion, at, timeZone }: Speech): FoundLoop[] {
  const text = sentence
    .replace(words.opening, '')
    .replace(/[\s。.！!～~…]+$/u, '')
    .trim();
  if (text.length < MIN_CHARS || text.length > MAX_LOOP_LENGTH || words.idle.test(text)) return [];
  const parts = [text, ...text.split(CLAUSE_END).map((clause) => clause.trim())];
  const isSaid = (patterns: readonly RegExp[]) =>
    patterns.some((pattern) => parts.some((part) => pattern.test(part)));
  const { anybody, person, companion, anybodyWithTime, personWithTime } = words.intents;
  const isSure = isSaid(anybody) || isSaid(byCompanion ? companion : person);
  if (!isSure && !isSaid(anybodyWithTime) && (byCompanion || !isSaid(personWithTime))) return [];
  const dueAt = dueIn(text, at, timeZone);
  if (dueAt === null) return isSure ? [{ text, dueAt, confidence: CONFIDENCE.open }] : [];
  return [{ text, dueAt, confidence: CONFIDENCE.due }];
}
