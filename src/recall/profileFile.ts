/** Profile files: a shipped profile with other weights, as JSON. */
import { z } from 'zod';
import { defined, MemoryError, parseInput } from '../model/model.ts';
import { FEATURE_NAMES } from './features.ts';
import { SHIPPED_PROFILES, type Profile } from './profiles.ts';
import { PROFILE_NAMES, type ProfileName } from './types.ts';

const MAX_NAME_LENGTH = 64;

const share = z.number().min(-1).max(1);
const probability = z.number().min(0).max(1);

/** Two logistic models and their thresholds; see `Judge` for each field. */
const judgeFields = {
  answerable: z.strictObject({
    covered: z.number(),
    coveredByBest: z.number(),
    held: z.number(),
    known: z.number(),
    lead: z.number(),
    nearest: z.number(),
    size: z.number(),
    unknownName: z.number().default(0),
    language: z.strictObject({ en: z.number(), ja: z.number(), zh: z.number() }),
    address: z.strictObject({
      open: z.number(),
      small_talk: z.number(),
      task: z.number(),
      knowledge: z.number(),
    }),
    constant: z.number(),
  }),
  matters: z.strictObject({
    share: z.number(),
    answerable: z.number(),
    cosine: z.number(),
    covered: z.number(),
    constant: z.number(),
  }),
  tell: z.strictObject({
    from: z.number(),
    perTenfold: z.number(),
    sure: probability,
    margin: z.number().min(0),
  }),
};

/** `inject` of a file based on `conversation`; see `InjectRule` for each field. */
const injectSchema = z
  .strictObject({
    ...judgeFields,
    wordsAlone: z.strictObject(judgeFields),
    young: z.strictObject({
      documents: z.number().positive(),
      bonus: z.number(),
      covered: z.number().positive(),
    }),
    assumedTurns: z.number().min(0),
    high: probability,
    medium: probability,
  })
  .partial();

const fileSchema = z.strictObject({
  /** The name for recall's `profile`; must differ from the shipped names. */
  name: z.string().trim().min(1).max(MAX_NAME_LENGTH),
  /** The profile whose features are used, and whose numbers apply where the file gives none. */
  base: z.enum(PROFILE_NAMES),
  /** By feature. Features without a weight keep the base's; 0 switches a feature off. */
  weights: z.record(z.string(), z.number()),
  /** For `conversation`: when to inject. */
  inject: injectSchema.optional(),
  /** For the other bases: minimum scores of high and medium hits. */
  high: z.number().optional(),
  medium: z.number().optional(),
  /** Where the weights come from; informational only. */
  tuned: z
    .strictObject({
      when: z.iso.datetime(),
      sets: z.array(
        z.strictObject({ name: z.string(), conversations: z.int().min(0), queries: z.int().min(0) }),
      ),
      /** By metric: means on held-out conversations, every set with the same weight, and the 95 % interval of the gain. */
      figures: z.record(
        z.string(),
        z.strictObject({ base: share, tuned: share, gain: share, low: share, high: share, p: share }),
      ),
    })
    .optional(),
});

/** The content of a profile file. */
export type ProfileFile = z.input<typeof fileSchema>;

/**
 * Parses a profile file's JSON.
 * @throws MemoryError INVALID_INPUT, naming every wrong field and unknown feature
 */
export function parseProfile(value: unknown): Profile {
  const file = parseInput(fileSchema, value, 'a profile');
  const { name, base, weights } = file;
  const invalid = (reason: string) => new MemoryError('INVALID_INPUT', `Not a profile: ${reason}`);
  if (Object.hasOwn(SHIPPED_PROFILES, name)) throw invalid(`name: "${name}" is a shipped profile's.`);
  const known = featuresOf(base);
  const unknown = Object.keys(weights).filter((feature) => !known.includes(feature));
  if (unknown.length > 0) {
    const named = unknown.map((feature) => `"${feature}"`).join(', ');
    throw invalid(`weights: ${base} has no feature ${named}, only ${known.join(', ')}.`);
  }
  const shipped = SHIPPED_PROFILES[base];
  if (shipped.base === 'conversation') {
    if (file.high !== undefined || file.medium !== undefined)
      throw invalid('high, medium: when conversation injects stands under "inject".');
    const inject = { ...shipped.inject, ...defined(file.inject ?? {}) };
    return { ...shipped, name, weights: { ...shipped.weights, ...weights }, inject };
  }
  if (file.inject) throw invalid(`inject: ${base} judges by "high" and "medium" alone.`);
  const { high = shipped.high, medium = shipped.medium } = file;
  if (medium > high) throw invalid(`medium: ${medium} is more than high, which is ${high}.`);
  return { ...shipped, name, weights: { ...shipped.weights, ...weights }, high, medium };
}

/**
 * Several profiles with different names.
 * @throws MemoryError INVALID_INPUT
 */
export function parseProfiles(values: readonly unknown[]): Profile[] {
  const profiles = values.map(parseProfile);
  const names = profiles.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return profiles;
  throw new MemoryError('INVALID_INPUT', `Two profiles are called "${twice}".`);
}

/** The features of a profile with this base. */
function featuresOf(base: ProfileName): readonly string[] {
  return base === 'conversation' ? Object.keys(SHIPPED_PROFILES.conversation.weights) : FEATURE_NAMES;
}
