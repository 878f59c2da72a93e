import { z } from 'zod';

const id = z.int().positive();

/** Someone or something that is spoken of. */
export const entitySchema = z.object({
  id,
  type: z.enum(['person', 'place', 'organization', 'animal', 'thing', 'event', 'other']),
  name: z.string().min(1),
  aliases: z.array(z.string().min(1)),
  salience: z.number().min(0).max(1),
});
export type Entity = z.infer<typeof entitySchema>;

/** That a unit speaks of an entity, and how surely. */
export const unitEntitySchema = z.object({
  unitId: id,
  entityId: id,
  surface: z.string().min(1),
  confidence: z.number().min(0).max(1),
});
export type UnitEntity = z.infer<typeof unitEntitySchema>;

/** Someone or something that a unit speaks of, as a derivation found it. */
export const entityMentionSchema = z.object({
  /** The entity it is; null: a new one. */
  entityId: id.nullable(),
  type: entitySchema.shape.type,
  name: z.string().min(1),
  /** Other names it goes by; of a known entity those are added. */
  aliases: z.array(z.string().min(1)).default([]),
  /** The words that name it in the unit. */
  surface: z.string().min(1),
  confidence: z.number().min(0).max(1),
});
export type EntityMention = z.infer<typeof entityMentionSchema>;

/** How two entities relate, with the episodes that say so. */
export const edgeSchema = z.object({
  fromEntityId: id,
  toEntityId: id,
  relation: z.string().min(1),
  weight: z.number().min(0).max(1),
  evidence: z.array(id),
});
export type Edge = z.infer<typeof edgeSchema>;
