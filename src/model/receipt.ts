import { z } from 'zod';

/** What was asked to be forgotten. The words of the request (a name, an id of a conversation) are not in it. */
const FORGOTTEN_THINGS = ['turn', 'unit', 'conversation', 'person', 'period', 'everything'] as const;

/** Proves that something was forgotten, without saying what: signed, and to be checked by `verify`. */
export const receiptSchema = z.strictObject({
  format: z.literal('omoide receipt'),
  version: z.literal(1),
  memoryId: z.string(),
  at: z.int(),
  what: z.enum(FORGOTTEN_THINGS),
  /** Numbers of turns whose keys were destroyed, as ranges: first and last. */
  turns: z.array(z.tuple([z.int(), z.int()])),
  /** SHA-256, hex, over the content hashes (hex) of these turns in order, so that no others can be put in their place. */
  turnsHash: z.string(),
  /** Ids of units that are gone, as ranges. */
  units: z.array(z.tuple([z.int(), z.int()])),
  /** How many of each were erased or changed. */
  counts: z.record(z.string(), z.int()),
  /** Chain hash of the last turn before and after: the same, as the chain goes on over forgotten turns. */
  headBefore: z.string(),
  headAfter: z.string(),
  /** Ed25519 public key, base64 of its SPKI DER form. */
  publicKey: z.string(),
  /** Over `receiptText`, base64. */
  signature: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

/** What is signed: everything else, in the order of the names. */
export function receiptText(receipt: Omit<Receipt, 'signature'>): string {
  const signed = Object.entries(receipt).filter(([name]) => name !== 'signature');
  return JSON.stringify(signed.sort(([a], [b]) => (a < b ? -1 : 1)));
}
