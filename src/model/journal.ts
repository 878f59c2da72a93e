import { z } from 'zod';
import { reorganizationPlanSchema } from './plan.ts';

/** One reorganisation as it was carried out, and by which it can be undone. */
export const journalEntrySchema = z.object({
  id: z.int().positive(),
  /** What made it once only: a job's occasion (`nightly/2026-03-01`); null when done by hand. */
  key: z.string().nullable(),
  at: z.int(),
  plan: reorganizationPlanSchema,
  /** What it touched, by number. */
  topicsAdded: z.int().min(0),
  topicsChanged: z.int().min(0),
  unitsChanged: z.int().min(0),
  state: z.enum(['applied', 'rolled_back']),
  rolledBackAt: z.int().nullable(),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;
