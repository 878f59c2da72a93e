import { z } from 'zod';

/** The signed state of the chain of turns at one turn. A memory that was rewritten since no longer matches it. */
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
  /** The first digits of the chain hash of each turn since the previous entry. */
  links: z.string().regex(/^[0-9a-f]*$/),
  /** The key's signature over the rest of the line, base64. */
  seal: z.string(),
});
export type WitnessEntry = z.infer<typeof witnessEntrySchema>;

/** The signed text. */
export function checkpointText(
  memoryId: string,
  { turnId, chainHash, at }: Omit<Checkpoint, 'signature'>,
): string {
  return ['omoide checkpoint', memoryId, turnId, chainHash, at].join('\n');
}

/**
 * The signed text of a checkpoint that is also in the witness log. A checkpoint with a signature over this text
 * that is missing from the log was removed from it.
 */
export function witnessedCheckpointText(memoryId: string, checkpoint: Omit<Checkpoint, 'signature'>): string {
  return `${checkpointText(memoryId, checkpoint)}\nwitnessed`;
}
