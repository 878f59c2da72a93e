import { z } from 'zod';

/** One state of a unit in time, and what is needed to restore it. */
export const unitVersionSchema = z.object({
  unitId: z.int().positive(),
  version: z.int().min(1),
  parentVersion: z.int().min(1).nullable(),
  reason: z.string().min(1),
  /** SHA-256, hex, of the payload's canonical JSON. */
  payloadHash: z.string(),
  at: z.int(),
  /** The unit as it was, whole. */
  snapshot: z.record(z.string(), z.json()),
});
export type UnitVersion = z.infer<typeof unitVersionSchema>;
