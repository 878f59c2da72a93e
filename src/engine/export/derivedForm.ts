/**
 * The data of an export other than turns, one line each, after the turns:
 *
 *     {"omoide":"entity","ref":1,"type":"person","name":"Miso","aliases":[],"salience":0.2}
 *     {"omoide":"topic","ref":1,"title":"…","summary":null,"source":"…","strength":0.5,"parents":[],"episodes":["t1","t2"]}
 *     {"omoide":"unit","ref":"u1","kind":"fact","payload":{…,"evidence":["t1"]},…}
 *     {"omoide":"mentions","of":"t1","mentions":[{"entity":1,"surface":"Miso","confidence":1}],"relations":[]}
 *
 * Units are referred to by their position in the export, since another memory gives them other ids: `t1` is the
 * episode of the first turn, `u1` the first other unit; entities and topics have their own numbers.
 */
import { z } from 'zod';
import {
  emotionSchema,
  entitySchema,
  keysOf,
  KINDS,
  SCOPES,
  SENSITIVITIES,
  sensitiveSpanSchema,
  STATES,
  type Unit,
} from '../../model/model.ts';

const count = z.int().positive();
const unitRef = z.string().regex(/^[tu][1-9]\d*$/);
const share = z.number().min(0).max(1);
const instant = z.int();

/** The fields of a unit that may change. */
const editable = {
  state: z.enum(STATES),
  confidence: share,
  salience: share,
  sensitivity: z.enum(SENSITIVITIES),
  pinned: z.boolean(),
  topicTags: z.array(z.string()),
  expiresAt: instant.nullable(),
  reinforcement: z.int().min(0),
  emotion: emotionSchema.nullable(),
};

/** Changes of an episode after its creation from the turn. */
const editsSchema = z
  .object({
    ...editable,
    notes: z
      .object({
        imageSummary: z.string().nullable(),
        contextNote: z.string().nullable(),
        reflection: z.string().nullable(),
        masks: z.array(sensitiveSpanSchema),
      })
      .partial(),
  })
  .partial();
export type EpisodeEdits = z.infer<typeof editsSchema>;

const entityRecord = z.object({
  omoide: z.literal('entity'),
  ref: count,
  ...entitySchema.omit({ id: true }).shape,
});
const topicRecord = z.object({
  omoide: z.literal('topic'),
  ref: count,
  title: z.string().min(1),
  summary: z.string().nullable(),
  source: z.string().min(1),
  strength: share,
  parents: z.array(count),
  episodes: z.array(unitRef),
});
const unitRecord = z.object({
  omoide: z.literal('unit'),
  ref: unitRef,
  kind: z.enum(KINDS).exclude(['episode']),
  occurredAt: instant,
  source: z.string().min(1),
  ...editable,
  scope: z.enum(SCOPES),
  /** The unit's payload, with references instead of ids. */
  payload: z.record(z.string(), z.json()),
});
const mentionsRecord = z.object({
  omoide: z.literal('mentions'),
  of: unitRef,
  mentions: z.array(z.object({ entity: count, surface: z.string().min(1), confidence: share })),
  relations: z.array(z.object({ from: count, to: count, relation: z.string().min(1), weight: share })),
});
const episodeRecord = z.object({ omoide: z.literal('episode'), of: unitRef, set: editsSchema });

export const derivedRecordSchema = z.discriminatedUnion('omoide', [
  entityRecord,
  topicRecord,
  unitRecord,
  mentionsRecord,
  episodeRecord,
]);
export type DerivedRecord = z.infer<typeof derivedRecordSchema>;
export type EntityRecord = z.infer<typeof entityRecord>;
export type TopicRecord = z.infer<typeof topicRecord>;
export type UnitRecord = z.infer<typeof unitRecord>;
export type MentionsRecord = z.infer<typeof mentionsRecord>;

const NOTES = ['imageSummary', 'contextNote', 'reflection', 'masks'] as const;

type Episode = Extract<Unit, { kind: 'episode' }>;

/** The differences from the first version; null when there are none. */
export function episodeEdits(first: Episode, now: Episode): EpisodeEdits | null {
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  const set: [string, unknown][] = keysOf(editable)
    .filter((name) => differs(first[name], now[name]))
    .map((name) => [name, now[name]]);
  const notes = NOTES.filter((name) => differs(first.payload[name], now.payload[name]));
  if (notes.length > 0)
    set.push(['notes', Object.fromEntries(notes.map((name) => [name, now.payload[name] ?? []]))]);
  return set.length === 0 ? null : editsSchema.parse(Object.fromEntries(set));
}
