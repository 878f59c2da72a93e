import { z } from 'zod';

/** What was to be forgotten. The text of the request (a name, an id of a conversation) is not stored. */
const FORGOTTEN_THINGS = ['turn', 'unit', 'conversation', 'person', 'period', 'everything'] as const;

/** Signed proof that something was forgotten, without saying what; `verify` checks it. */
export const receiptSchema = z.strictObject({
  format: z.literal('omoide receipt'),
  version: z.literal(1),
  memoryId: z.string(),
  at: z.int(),
  what: z.enum(FORGOTTEN_THINGS),
  /** Numbers of turns whose keys were destroyed, as ranges: first and last. */
  turns: z.array(z.tuple([z.int(), z.int()])),
  /** SHA-256, hex, over the content hashes (hex) of these turns in order, so that they cannot be replaced by others. */
  turnsHash: z.string(),
  /** Ids of erased units, as ranges. */
  units: z.array(z.tuple([z.int(), z.int()])),
  /** How many of each were erased or changed. */
  counts: z.record(z.string(), z.int()),
  /** Chain hash of the last turn before and after: they are equal, since the chain includes forgotten turns. */
  headBefore: z.string(),
  headAfter: z.string(),
  /** Ed25519 public key, base64 of its SPKI DER form. */
  publicKey: z.string(),
  /** Over `receiptText`, base64. */
  signature: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

/** The signed text: all other fields, in the order of their names. */
export function receiptText(receipt: Omit<Receipt, 'signature'>): string {
  const signed = Object.entries(receipt).filter(([name]) => name !== 'signature');
  return JSON.stringify(signed.sort(([a], [b]) => (a < b ? -1 : 1)));
}
