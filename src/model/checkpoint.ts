import { z } from 'zod';

/** What the chain of turns was at a turn, signed: a memory rewritten since, hashes and all, no longer fits it. */
export const checkpointSchema = z.object({
  /** The last turn it covers. */
  turnId: z.int().positive(),
  /** Chain hash of that turn, hex. */
  chainHash: z.string(),
  at: z.int(),
  /** Ed25519 public key, base64 of its SPKI DER form. */
  publicKey: z.string(),
  /** Over `checkpointText`, base64. */
  signature: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** A checkpoint as a line of the witness log. */
export const witnessEntrySchema = checkpointSchema.extend({
  memoryId: z.string(),
  /** The first digits of the chain hash of each turn since the entry before. */
  links: z.string().regex(/^[0-9a-f]*$/),
  /** The signature of the key over the rest of the line, base64. */
  seal: z.string(),
});
export type WitnessEntry = z.infer<typeof witnessEntrySchema>;

/** What is signed. */
export function checkpointText(
  memoryId: string,
  { turnId, chainHash, at }: Omit<Checkpoint, 'signature'>,
): string {
  return ['omoide checkpoint', memoryId, turnId, chainHash, at].join('\n');
}

/**
 * What is signed of a checkpoint that is also in the witness log: one whose signature is over this text and that the log
 * does not hold was taken out of it.
 */
export function witnessedCheckpointText(memoryId: string, checkpoint: Omit<Checkpoint, 'signature'>): string {
  return `${checkpointText(memoryId, checkpoint)}\nwitnessed`;
}
