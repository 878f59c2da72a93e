/** The options of an exploration. */
import { z } from 'zod';
import { EMOTION_KEYS, emotionSchema, KINDS, SCOPES, SENSITIVITIES } from '../../model/model.ts';

export const EXPLORE_VIEWS = ['topic', 'timeline', 'quote'] as const;
export type ExploreView = (typeof EXPLORE_VIEWS)[number];

const time = z.union([z.date(), z.string(), z.number()]);
const words = (max: number) => z.string().regex(/\S/, 'says nothing').max(max);
const idOrName = z.union([z.int().positive(), words(300)]);

/** The query: at least one condition. All conditions must match. */
export const exploreQuerySchema = z.strictObject({
  /** A sentence or words; time expressions in it count as a period. */
  text: words(20_000).optional(),
  /** All of them must occur; in a string, separated by spaces. */
  keywords: z.union([words(1_000), z.array(words(200)).min(1).max(32)]).optional(),
  /** The first day or instant. */
  from: time.optional(),
  /** Units must have occurred before this instant. */
  to: time.optional(),
  /** The time in words, relative to `now`: 去年の夏, 上个月, “last spring”. */
  period: words(200).optional(),
  /** An emotion, or one of its keys: finds units with a similar emotion. */
  emotion: z.union([z.enum(EMOTION_KEYS), emotionSchema]).optional(),
  /** By id or by title. */
  topic: idOrName.optional(),
  /** A mentioned person or thing, by id or by name. */
  entity: idOrName.optional(),
});
export type ExploreQuery = z.input<typeof exploreQuerySchema>;

export const exploreOptionsSchema = z.strictObject({
  /** Default: `quote` for words and emotions, else `timeline`. */
  view: z.enum(EXPLORE_VIEWS).optional(),
  /** Maximum number of quotes, turns or topics on a page; default 20. */
  limit: z.int().min(1).max(100).optional(),
  /** `nextCursor` of the previous page, for the same question. */
  cursor: z.string().max(8_000).optional(),
  /** The time that “yesterday” is relative to; default: the current time, and on later pages that of the first page. */
  now: time.optional(),
  /** Explore the memory as it was at this instant. */
  asOf: time.optional(),
  /** Default: episodes, and for words also notes. */
  kinds: z.array(z.enum(KINDS)).min(1).optional(),
  /** Also facts that are no longer valid; default false. */
  withPastFacts: z.boolean().optional(),
  /** The highest sensitivity level that may be found; default `private`. */
  maxSensitivity: z.enum(SENSITIVITIES).optional(),
  scope: z.enum(SCOPES).optional(),
  /** The language of the reasons; default: that of the query's words, or of the results. */
  language: z.enum(['ja', 'zh', 'en']).optional(),
  /** Whether shown units count as accessed; default true. */
  count: z.boolean().optional(),
});
export type ExploreOptions = z.input<typeof exploreOptionsSchema>;
