import { keysOf, type EMOTION_KEYS } from '../../model/model.ts';

export type EmotionKey = (typeof EMOTION_KEYS)[number];

/** Words of emotion by strength: strong, plain, slight. A word for two emotions is in both lists. */
export type Lexicon = Readonly<
  Record<EmotionKey, { readonly strong: string; readonly plain: string; readonly slight: string }>
>;

const STRENGTHS = { strong: 0.8, plain: 0.55, slight: 0.25 } as const;

export type Feelings = readonly (readonly [key: EmotionKey, strength: number])[];

/** The emotions of each word of a lexicon. Words are separated by `separator`. */
export function indexLexicon(lexicon: Lexicon, separator: RegExp): Map<string, Feelings> {
  const index = new Map<string, Feelings>();
  for (const key of keysOf(lexicon)) {
    for (const tier of keysOf(STRENGTHS)) {
      const strength = STRENGTHS[tier];
      for (const word of lexicon[key][tier].split(separator).map((part) => part.trim())) {
        if (word !== '') index.set(word, [...(index.get(word) ?? []), [key, strength]]);
      }
    }
  }
  return index;
}
