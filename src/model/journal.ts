import { z } from 'zod';
import { reorganizationPlanSchema } from './plan.ts';

/** One reorganisation that was applied, with which it can be undone. */
export const journalEntrySchema = z.object({
  id: z.int().positive(),
  /** A key that can be applied only once, such as a job's occasion (`nightly/2026-03-01`); null when done by hand. */
  key: z.string().nullable(),
  at: z.int(),
  plan: reorganizationPlanSchema,
  /** How many of each it changed. */
  topicsAdded: z.int().min(0),
  topicsChanged: z.int().min(0),
  unitsChanged: z.int().min(0),
  state: z.enum(['applied', 'rolled_back']),
  rolledBackAt: z.int().nullable(),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;
