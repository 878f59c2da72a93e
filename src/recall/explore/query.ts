/** What may be asked of an exploration. */
import { z } from 'zod';
import { EMOTION_KEYS, emotionSchema, KINDS, SCOPES, SENSITIVITIES } from '../../model/model.ts';

export const EXPLORE_VIEWS = ['topic', 'timeline', 'quote'] as const;
export type ExploreView = (typeof EXPLORE_VIEWS)[number];

const time = z.union([z.date(), z.string(), z.number()]);
const words = (most: number) => z.string().regex(/\S/, 'says nothing').max(most);
const idOrName = z.union([z.int().positive(), words(300)]);

/** What is looked for: at least one thing, and all of them at once. */
export const exploreQuerySchema = z.strictObject({
  /** In a sentence or in words; times that it names count as a period. */
  text: words(20_000).optional(),
  /** Every one of them is said; in a string, with space between them. */
  keywords: z.union([words(1_000), z.array(words(200)).min(1).max(32)]).optional(),
  /** The first day, or instant. */
  from: time.optional(),
  /** The instant before which it occurred. */
  to: time.optional(),
  /** The time in words, relative to `now`: 去年の夏, 上个月, “last spring”. */
  period: words(200).optional(),
  /** A feeling, or one of its keys: what feels alike. */
  emotion: z.union([z.enum(EMOTION_KEYS), emotionSchema]).optional(),
  /** By id, or by title. */
  topic: idOrName.optional(),
  /** Whom or what it speaks of, by id, or by name. */
  entity: idOrName.optional(),
});
export type ExploreQuery = z.input<typeof exploreQuerySchema>;

export const exploreOptionsSchema = z.strictObject({
  /** Default: `quote` for words and feelings, else `timeline`. */
  view: z.enum(EXPLORE_VIEWS).optional(),
  /** Most quotes, turns or topics of a page; default 20. */
  limit: z.int().min(1).max(100).optional(),
  /** `nextCursor` of the page before, for the same question. */
  cursor: z.string().max(8_000).optional(),
  /** What “yesterday” is relative to; default: now, and on later pages that of the first. */
  now: time.optional(),
  /** Explore as it would have been at this instant. */
  asOf: time.optional(),
  /** Default: episodes, and for words also notes. */
  kinds: z.array(z.enum(KINDS)).min(1).optional(),
  /** Also facts that hold no more; default false. */
  withPastFacts: z.boolean().optional(),
  /** The most sensitive that may be found; default `private`. */
  maxSensitivity: z.enum(SENSITIVITIES).optional(),
  scope: z.enum(SCOPES).optional(),
  /** Of the reasons; default: that of the words asked with, or found. */
  language: z.enum(['ja', 'zh', 'en']).optional(),
  /** Whether being shown counts as an access; default true. */
  count: z.boolean().optional(),
});
export type ExploreOptions = z.input<typeof exploreOptionsSchema>;
