import { z } from 'zod';
import type { Unit } from './unit.ts';

/** One past state of a unit, complete enough to restore it. */
export const unitVersionSchema = z.object({
  unitId: z.int().positive(),
  version: z.int().min(1),
  parentVersion: z.int().min(1).nullable(),
  reason: z.string().min(1),
  /** SHA-256, hex, of the payload's canonical JSON. */
  payloadHash: z.string(),
  at: z.int(),
  /** The whole unit in that state. */
  snapshot: z.record(z.string(), z.json()),
});
export type UnitVersion = Omit<z.infer<typeof unitVersionSchema>, 'snapshot'> & { readonly snapshot: Unit };
