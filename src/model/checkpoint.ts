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

/** What is signed. */
export function checkpointText(
  memoryId: string,
  { turnId, chainHash, at }: Omit<Checkpoint, 'signature'>,
): string {
  return ['omoide checkpoint', memoryId, turnId, chainHash, at].join('\n');
}
