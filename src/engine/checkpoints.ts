import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkpointText, errorCode, MemoryError, type Checkpoint, type Instant } from '../model/model.ts';
import type { Store, Verification } from '../store/store.ts';

/** So many turns are covered by one signature, at most, before another is worth making unasked. */
const TURNS_BETWEEN = 1_000;

/**
 * Signs what the chain of turns is now. The key lies beside the memories and not in them (mode 0600): whoever can write
 * to a memory alone cannot make it fit again. Null when nothing was said since the last checkpoint.
 * @throws MemoryError READ_ONLY, FILE_UNREADABLE where the key cannot be written or read
 */
export async function makeCheckpoint(
  store: Store,
  keyPath: string,
  now: Instant,
  turnsBetween = 1,
): Promise<Checkpoint | null> {
  const head = await store.evidence.head();
  const last = (await store.evidence.checkpoints()).at(-1)?.turnId ?? 0;
  if (!head || head.turnId - last < turnsBetween) return null;
  const key = openKey(keyPath);
  const publicKey = publicPart(key);
  const unsigned = { ...head, at: now, publicKey };
  const text = checkpointText(store.memoryId, unsigned);
  const checkpoint = { ...unsigned, signature: sign(null, Buffer.from(text), key).toString('base64') };
  await store.evidence.addCheckpoint(checkpoint);
  return checkpoint;
}

/** As `makeCheckpoint`, when enough was said since, and without complaint where no key can be kept. */
export async function makeCheckpointIfDue(store: Store, keyPath: string, now: Instant): Promise<void> {
  try {
    await makeCheckpoint(store, keyPath, now, TURNS_BETWEEN);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
  }
}

/**
 * Adds what only the key tells: a checkpoint that fits the turns, and its own signature, but was signed by somebody
 * else. (A memory that was moved here without its key shows all of its checkpoints so.)
 */
export function verifySigner(
  verification: Verification,
  checkpoints: readonly Checkpoint[],
  keyPath: string,
): Verification {
  if (!existsSync(keyPath)) return verification;
  const own = publicPart(openKey(keyPath));
  const strange = checkpoints.filter(({ publicKey }) => publicKey !== own);
  const problems = strange.map(({ turnId }) => ({
    code: 'CHAIN_BROKEN' as const,
    message: `The checkpoint at turn ${turnId} was not signed with ${keyPath}.`,
  }));
  return { ...verification, problems: [...verification.problems, ...problems] };
}

function publicPart(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
}

function openKey(path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path));
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') {
      throw new MemoryError('FILE_UNREADABLE', `${path} is no signing key that can be read.`, { cause });
    }
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, pem, { mode: 0o600, flag: 'wx' });
    return privateKey;
  } catch (cause) {
    // Another process made one meanwhile.
    if (errorCode(cause) === 'EEXIST') return createPrivateKey(readFileSync(path));
    throw new MemoryError('READ_ONLY', `The signing key ${path} cannot be written.`, { cause });
  }
}
