import { z } from 'zod';

const id = z.int().positive();

/** A person, place or thing that turns mention. */
export const entitySchema = z.object({
  id,
  type: z.enum(['person', 'place', 'organization', 'animal', 'thing', 'event', 'other']),
  name: z.string().min(1),
  aliases: z.array(z.string().min(1)),
  salience: z.number().min(0).max(1),
});
export type Entity = z.infer<typeof entitySchema>;

/** States that a unit mentions an entity, with a confidence. */
export const unitEntitySchema = z.object({
  unitId: id,
  entityId: id,
  surface: z.string().min(1),
  confidence: z.number().min(0).max(1),
});
export type UnitEntity = z.infer<typeof unitEntitySchema>;

/** An entity mentioned in a unit, as a derivation found it. */
export const entityMentionSchema = z.object({
  /** The known entity; null: a new one. */
  entityId: id.nullable(),
  type: entitySchema.shape.type,
  name: z.string().min(1),
  /** Other names; those of a known entity are added to it. */
  aliases: z.array(z.string().min(1)).default([]),
  /** The words in the unit that name it. */
  surface: z.string().min(1),
  confidence: z.number().min(0).max(1),
});
export type EntityMention = z.infer<typeof entityMentionSchema>;

/** A relation of two entities, with the episodes that are evidence for it. */
export const edgeSchema = z.object({
  fromEntityId: id,
  toEntityId: id,
  relation: z.string().min(1),
  weight: z.number().min(0).max(1),
  evidence: z.array(id),
});
export type Edge = z.infer<typeof edgeSchema>;
