import { z } from 'zod';
import { emotionSchema } from './emotion.ts';
import { MemoryError } from './error.ts';
import { hiddenWordsSchema, withHiddenWords } from './hidden.ts';
import { isSecretKind, maskText, sensitiveSpanSchema, type SensitiveKind } from './sensitive.ts';

export const KINDS = ['episode', 'fact', 'summary', 'loop', 'capsule', 'note'] as const;
export const STATES = ['raw', 'validated', 'consolidated', 'archived'] as const;
export const SENSITIVITIES = ['normal', 'private', 'secret'] as const;
export const SCOPES = ['global', 'project'] as const;

const kindSchema = z.enum(KINDS);
const stateSchema = z.enum(STATES);
const sensitivitySchema = z.enum(SENSITIVITIES);
const scopeSchema = z.enum(SCOPES);
export type Kind = z.infer<typeof kindSchema>;
export type State = z.infer<typeof stateSchema>;
export type Sensitivity = z.infer<typeof sensitivitySchema>;
export type Scope = z.infer<typeof scopeSchema>;

const id = z.int().positive();
const instant = z.int();
const share = z.number().min(0).max(1);
/** Ids of the episodes from which a unit was derived. */
const evidence = z.array(id);
const text = z.string().min(1);
/** Personal data and secrets that are masked in the text; absent when nothing was found, or it was not examined. */
const hidden = z.array(hiddenWordsSchema).exactOptional();

/** A turn, or a notification or proactive message, as evidence. The text is the turn's own, word for word. */
export const episodePayload = z.object({
  turnId: id,
  conversationId: z.string(),
  turnIndex: z.int().min(0),
  speaker: z.string(),
  text: z.string(),
  imageSummary: z.string().nullable(),
  contextNote: z.string().nullable(),
  reflection: z.string().nullable(),
  /** Places of personal data and secrets in `text`, in order; absent when there are none. */
  masks: z.array(sensitiveSpanSchema).exactOptional(),
  /** The name of the speaker is personal data, and `speaker` is a pseudonym. The turn has the original name. */
  isSpeakerMasked: z.literal(true).exactOptional(),
});

/** A fact: subject, predicate, object, from when to when. */
export const factPayload = z.object({
  subject: text,
  predicate: text,
  object: text,
  /** The entity that the object names, if it is one. */
  objectEntityId: id.nullable().default(null),
  validFrom: instant.nullable().default(null),
  /** Exclusive; null while the fact is true. */
  validTo: instant.nullable().default(null),
  evidence: evidence.default([]),
  hidden,
});

export const summaryPayload = z.object({
  scope: z.enum(['weekly', 'person', 'topic', 'relationship']),
  /** The week, person or topic that is summarised. */
  scopeKey: z.string(),
  range: z.object({ from: instant, to: instant }).nullable().default(null),
  text,
  structured: z.record(z.string(), z.json()).nullable().default(null),
  evidence: evidence.default([]),
  hidden,
});

/** Something unfinished. */
export const loopPayload = z.object({
  text,
  dueAt: instant.nullable().default(null),
  status: z.enum(['open', 'done', 'dropped']).default('open'),
  evidence: evidence.default([]),
  hidden,
});

/** The current short-term state. */
export const capsulePayload = z.object({ text, evidence: evidence.default([]), hidden });

/** One section of a Markdown memory file. */
export const notePayload = z.object({
  uri: text,
  section: z.string(),
  memoryType: z.string(),
  text,
  tokenCount: z.int().min(0),
  hidden,
});

export const payloadSchemas = {
  episode: episodePayload,
  fact: factPayload,
  summary: summaryPayload,
  loop: loopPayload,
  capsule: capsulePayload,
  note: notePayload,
} as const;

export type Payloads = { [K in Kind]: z.infer<(typeof payloadSchemas)[K]> };

/** The fields of every unit, whatever its kind. */
export const unitCommonSchema = z.object({
  id,
  occurredAt: instant,
  createdAt: instant,
  updatedAt: instant,
  /** `chat`, `notification`, `meta_request`, `import`, `note`, or a derivation's name. */
  source: z.string().min(1),
  state: stateSchema,
  confidence: share,
  salience: share,
  sensitivity: sensitivitySchema,
  pinned: z.boolean(),
  topicTags: z.array(z.string()),
  scope: scopeSchema,
  /** After this instant the unit is not recalled. */
  expiresAt: instant.nullable(),
  /** How often the same was stated again. */
  reinforcement: z.int().min(0),
  /** How often it was recalled. */
  accessCount: z.int().min(0),
  lastAccessedAt: instant.nullable(),
  emotion: emotionSchema.nullable(),
  /** 1 at first, plus one for every change. */
  version: z.int().min(1),
});
export type UnitCommon = z.infer<typeof unitCommonSchema>;

export type UnitOf<K extends Kind> = K extends Kind
  ? Readonly<UnitCommon & { kind: K; payload: Readonly<Payloads[K]> }>
  : never;
/** Anything remembered. */
export type Unit = UnitOf<Kind>;
export type Episode = UnitOf<'episode'>;
/** What a unit says. */
type Content = { [K in Kind]: Pick<UnitOf<K>, 'kind' | 'payload'> }[Kind];

/** The units of the given kind, in order. */
export function unitsOfKind<K extends Kind>(kind: K, units: readonly Unit[]): UnitOf<K>[] {
  return units.filter((unit): unit is UnitOf<K> & Unit => unit.kind === kind);
}

/** The unit itself. @throws MemoryError NOT_FOUND when it is missing or of another kind */
export function unitOfKind<K extends Kind>(kind: K, unit: Unit | undefined): UnitOf<K> {
  const [found] = unitsOfKind(kind, unit ? [unit] : []);
  if (!found) throw new MemoryError('NOT_FOUND', `There is no such ${kind}.`);
  return found;
}

/** A unit to be added, made by a derivation or by hand. Episodes are created only from turns. */
export const newUnitSchema = z.strictObject({
  occurredAt: instant.optional(),
  source: z.string().min(1).default('user'),
  state: stateSchema.default('validated'),
  confidence: share.default(1),
  salience: share.default(0.5),
  sensitivity: sensitivitySchema.default('normal'),
  pinned: z.boolean().default(false),
  topicTags: z.array(z.string()).default([]),
  scope: scopeSchema.default('global'),
  expiresAt: instant.nullable().default(null),
  emotion: emotionSchema.nullable().default(null),
  content: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('fact'), payload: z.strictObject(factPayload.shape) }),
    z.strictObject({ kind: z.literal('summary'), payload: z.strictObject(summaryPayload.shape) }),
    z.strictObject({ kind: z.literal('loop'), payload: z.strictObject(loopPayload.shape) }),
    z.strictObject({ kind: z.literal('capsule'), payload: z.strictObject(capsulePayload.shape) }),
    z.strictObject({ kind: z.literal('note'), payload: z.strictObject(notePayload.shape) }),
  ]),
});
/** The caller's form: everything except the content has a default. */
export type NewUnit = z.input<typeof newUnitSchema>;
export type NewUnitParsed = z.infer<typeof newUnitSchema>;

/**
 * A unit without the masks that the caller asked to see through: those of `private` kinds from `private` on, all with
 * `secret`, none by default.
 */
export function revealed<U extends Unit>(unit: U, maxSensitivity: Sensitivity | undefined): U {
  if (maxSensitivity === undefined || maxSensitivity === 'normal') return unit;
  const isShown = (kind: SensitiveKind) => maxSensitivity === 'secret' || !isSecretKind(kind);
  if (unit.kind !== 'episode') return withHiddenWords(unit as U & Exclude<Unit, Episode>, isShown);
  if (!unit.payload.masks) return unit;
  const masks = unit.payload.masks.filter(({ kind }) => !isShown(kind));
  return { ...unit, payload: { ...unit.payload, masks } };
}

/** What was said, with personal data and secrets masked. */
export function maskedWords({ text, masks }: Pick<Payloads['episode'], 'text' | 'masks'>): string {
  return maskText(text, masks);
}

/**
 * The text of a unit that is searched, learnt from and shown. Of an episode personal data and secrets are masked;
 * `payload.text` has them word for word.
 */
export function unitText(unit: Content): string {
  switch (unit.kind) {
    case 'episode': {
      const words = maskedWords(unit.payload);
      return unit.payload.imageSummary ? `${words}\n[${unit.payload.imageSummary}]` : words;
    }
    case 'fact':
      return `${unit.payload.subject} ${unit.payload.predicate} ${unit.payload.object}`;
    case 'note':
      return unit.payload.section ? `${unit.payload.section}\n${unit.payload.text}` : unit.payload.text;
    case 'summary':
    case 'loop':
    case 'capsule':
      return unit.payload.text;
  }
}

/** The embedded text includes the speaker: “Caroline: I adopted a cat” answers “what did Caroline adopt”. */
export function embeddedText(unit: Unit): string {
  return unit.kind === 'episode' ? `${unit.payload.speaker}: ${unitText(unit)}` : unitText(unit);
}
