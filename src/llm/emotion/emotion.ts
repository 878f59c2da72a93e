/**
 * Detects the emotion of a text without a language model.
 *
 *     text ─ sentences ─┬─ words that show, deny or ask for a feeling ─┐
 *                       ├─ the bundled embedder's vector ──────────────┼─ logistic classifier ─ strongest of all sentences
 *                       └─ words, letters and characters ──────────────┘
 *
 * Method and accuracy: docs/emotion.md.
 */
import { EMOTION_KEYS, type Emotion } from '../../model/model.ts';
import { detectLanguage, splitSentences, type Language } from '../../text/text.ts';
import { loadClassifier, type EmotionClassifier } from './classifier.ts';
import { emotionOfCues } from './cues.ts';
import { DENIED, KEY_COUNT, viewSentence } from './sentence.ts';

/** Increase with every change of the results. */
export const EMOTION_VERSION = 1;

/** Only this much of longer texts is read: UTF-16 units and sentences. */
const MAX_LENGTH = 2_000;
const MAX_SENTENCES = 16;
/** Smaller values are left out. */
const MIN_VALUE = 0.02;

/** One copy of the weights is shared by the process. */
let shared: EmotionClassifier | undefined;

/**
 * The emotion of a text. A value is the probability that a reader would perceive that emotion, below 0 when words
 * deny it, and left out below 0.02; the confidence is the probability that the strongest of them, or that none at
 * 0.3 or more, is correct.
 *
 * @param language that of the text, if known; otherwise it is detected.
 * @throws MemoryError EMBEDDER_FAILED when the bundled embedder's data file is missing or damaged.
 */
export function inferEmotion(text: string, language: Language = detectLanguage(text)): Emotion {
  return inferWith((shared ??= loadClassifier()), text, language);
}

/** The same with other weights. */
export function inferWith(classifier: EmotionClassifier, text: string, language: Language): Emotion {
  const views = splitSentences(text.slice(0, MAX_LENGTH).toWellFormed())
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, MAX_SENTENCES)
    .map((sentence) => viewSentence(sentence, language));
  if (views.length === 0) return { values: {}, confidence: 0 };
  const denied = views.map((view) => view.cues.subarray(DENIED, DENIED + KEY_COUNT));
  // An emotion that a sentence denies in words counts as 0, whatever the classifier says.
  const shown = views.map((view, i) =>
    classifier.probabilities(view).map((probability, k) => ((denied[i]?.[k] ?? 0) > 0 ? 0 : probability)),
  );
  const strongest = strongestOf(shown);
  const denial = strongestOf(denied);
  const values: Emotion['values'] = {};
  EMOTION_KEYS.forEach((key, k) => {
    const [probability = 0, against = 0] = [strongest[k], denial[k]];
    const value = round(against > probability ? -against : probability);
    if (Math.abs(value) >= MIN_VALUE) values[key] = value;
  });
  return { values, confidence: round(classifier.confidence(strongest)) };
}

/** The lexicon's words of emotion that occur in a text. */
export function feelingWords(text: string, language: Language): ReadonlySet<string> {
  return emotionOfCues(text, language).words;
}

function strongestOf(rows: readonly Float32Array[]): Float32Array {
  return Float32Array.from({ length: KEY_COUNT }, (_, k) => Math.max(...rows.map((row) => row[k] ?? 0)));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
