/** Finds emotion, topics and salience of an episode by a language model. */
import { z } from 'zod';
import { EMOTION_KEYS, type Emotion } from '../../model/model.ts';
import { detectLanguage, type Language, oneLine } from '../../text/text.ts';
import { hasEvidence, isWorthKeeping } from '../guard.ts';
import { isFromPrompt, type Prompt } from '../prompts.ts';
import type { Scene } from '../scene.ts';
import type { Reflection } from './reflectRules.ts';
import { MAX_TAG_LENGTH } from './topicTags.ts';

const MAX_TAGS = 5;
const MAX_NOTE_LENGTH = 240;
/** Smaller values are left out. */
const SMALLEST = 0.05;

const share = z.number().min(0).max(1);
const feeling = z.number().min(-1).max(1);

const reflection = z.object({
  /** The number of the turn as shown. */
  turn: z.int(),
  emotion: z.object(Object.fromEntries(EMOTION_KEYS.map((key) => [key, feeling]))),
  emotionConfidence: share,
  topics: z.array(z.string()),
  salience: share,
  confidence: share,
  reflection: z.string(),
});
type Reply = z.infer<typeof reflection>;

export const reflectionSchema = z.object({ reflections: z.array(reflection) });

/** The usable parts of a reply. */
export function checkReflection(reply: Reply, scene: Scene, prompt: Prompt): Reflection {
  return {
    emotion: { values: valuesOf(reply.emotion), confidence: reply.emotionConfidence },
    topicTags: tagsOf(reply.topics, scene),
    salience: reply.salience,
    confidence: reply.confidence,
    note: noteOf(reply.reflection, scene, prompt),
  };
}

function valuesOf(values: Reply['emotion']): Emotion['values'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (Math.abs(value) < SMALLEST ? [] : [[key, value]])),
  );
}

/** Topics that occur in the episode, or are at least in its language. */
function tagsOf(topics: readonly string[], { text, language }: Scene): string[] {
  const tags = topics
    .map((topic) => oneLine(topic.replace(/^#+/, '')))
    .filter((tag) => isWorthKeeping(tag, MAX_TAG_LENGTH) && (hasEvidence(tag, text) || isIn(tag, language)));
  return [...new Set(tags)].slice(0, MAX_TAGS);
}

/** One sentence about the episode; null when it is in another language or only repeats the episode or the prompt. */
function noteOf(reflection: string, { text, language }: Scene, prompt: Prompt): string | null {
  const note = oneLine(reflection);
  const isEcho = hasEvidence(note, text) || isFromPrompt(note, prompt);
  return isWorthKeeping(note, MAX_NOTE_LENGTH) && !isEcho && isIn(note, language) ? note : null;
}

function isIn(words: string, language: Language): boolean {
  return detectLanguage(words, language) === language;
}
