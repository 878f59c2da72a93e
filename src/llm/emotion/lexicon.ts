import type { EMOTION_KEYS } from '../../model/model.ts';

export type EmotionKey = (typeof EMOTION_KEYS)[number];

/**
 * Words that show a feeling, by how much they say: strongly, plainly, slightly. Words that show two stand in both
 * lists.
 */
export type Lexicon = Readonly<
  Record<EmotionKey, { readonly strong: string; readonly plain: string; readonly slight: string }>
>;

const STRENGTHS = { strong: 0.8, plain: 0.55, slight: 0.25 } as const;

export type Feelings = readonly (readonly [key: EmotionKey, strength: number])[];

/** What each word of a lexicon shows. Words are divided by `separator`. */
export function indexLexicon(lexicon: Lexicon, separator: RegExp): Map<string, Feelings> {
  const index = new Map<string, Feelings>();
  for (const [key, tiers] of Object.entries(lexicon) as [EmotionKey, Lexicon[EmotionKey]][]) {
    for (const [tier, strength] of Object.entries(STRENGTHS) as [keyof typeof STRENGTHS, number][]) {
      for (const word of tiers[tier].split(separator).map((part) => part.trim())) {
        if (word !== '') index.set(word, [...(index.get(word) ?? []), [key, strength]]);
      }
    }
  }
  return index;
}
