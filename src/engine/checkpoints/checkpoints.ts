/** Signed checkpoints of the chain of turns: in the memory itself and in logs outside it. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  MemoryError,
  witnessedCheckpointText,
  type Checkpoint,
  type Instant,
  type WitnessEntry,
} from '../../model/model.ts';
import type { Store, Verification } from '../../store/store.ts';
import { chainLinks, compareWithLog, isWitnessed } from './compare.ts';
import { SigningKey } from './signingKey.ts';
import { appendToWitnessLog, lastWitnessEntry, readWitnessLog } from './witnessLog.ts';

/** While a memory is open, so many new turns are signed at once, without waiting for the end. */
const TURNS_BETWEEN = 100;
/** Longest time between a checkpoint in the memory and its line in the log, in milliseconds. */
const LOG_DELAY_MS = 500;

export interface CheckpointOptions {
  readonly dataDir: string;
  readonly store: Store;
  readonly now: () => Instant;
  /** A further witness log, outside the data folder. */
  readonly witness?: string | undefined;
}

export interface VerifyOptions {
  /** A witness log to compare with, in addition to those that are written. */
  readonly witness?: string;
  /** A chain hash that was noted before: it must be that of some turn. */
  readonly expect?: string;
}

export class Checkpoints {
  readonly #store: Store;
  readonly #now: () => Instant;
  readonly #key: SigningKey;
  readonly #logPaths: readonly string[];
  /** Turns that this process added and nobody has signed. */
  #unsigned = 0;
  #signing: Promise<unknown> = Promise.resolve();

  constructor({ dataDir, store, now, witness }: CheckpointOptions) {
    this.#store = store;
    this.#now = now;
    this.#key = new SigningKey(join(dataDir, 'signing.key'));
    const own = join(dataDir, `witness_${store.memoryId}.log`);
    this.#logPaths = witness === undefined ? [own] : [own, witness];
  }

  /**
   * Signs what the turns are now, unless a break was found. Null when nothing was said since the last checkpoint.
   * @throws MemoryError CHAIN_BROKEN, READ_ONLY, DISK_FULL, FILE_UNREADABLE
   */
  async sign(): Promise<Checkpoint | null> {
    const signing = this.#signing.then(() => this.#sign());
    this.#signing = signing.catch(() => {});
    return signing;
  }

  /** Turns were added; signs them when they are many. */
  noteAdded(count: number): void {
    this.#unsigned += count;
    if (this.#unsigned >= TURNS_BETWEEN) void this.signAdded();
  }

  /** Signs what this process added, and without complaint where nothing can be signed: `verify` tells why. */
  async signAdded(): Promise<void> {
    if (this.#unsigned === 0) return;
    this.#unsigned = 0;
    try {
      await this.sign();
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
    }
  }

  /** @throws MemoryError FILE_UNREADABLE */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    await this.#signing;
    const verification = await this.#store.admin.verify();
    const compared = await this.#compare(verification, options);
    if (compared.problems.length === verification.problems.length) return compared;
    // Another process may be between writing a checkpoint and writing its line in the log.
    await setTimeout(LOG_DELAY_MS);
    return this.#compare(verification, options);
  }

  async #compare(verification: Verification, { witness, expect }: VerifyOptions): Promise<Verification> {
    const checkpoints = await this.#store.evidence.checkpoints();
    const paths = witness === undefined ? this.#logPaths : new Set([...this.#logPaths, witness]);
    const logs = [...paths].map((path) => ({
      path,
      isOwn: path === this.#logPaths[0],
      ...readWitnessLog(path, this.#store.memoryId),
    }));
    return compareWithLog(this.#store, {
      verification,
      checkpoints,
      ownKey: this.#key.exists() ? { path: this.#key.path, publicKey: this.#key.publicKey() } : null,
      logs,
      expect,
    });
  }

  async #sign(): Promise<Checkpoint | null> {
    const { memoryId } = this.#store;
    const head = await this.#store.evidence.head();
    const checkpoints = await this.#store.evidence.checkpoints();
    const last = checkpoints.at(-1)?.turnId ?? 0;
    const logs = this.#logPaths.map((path) => ({ path, entry: lastWitnessEntry(path, memoryId) }));
    for (const { path, entry } of logs) if (entry) await this.#checkEntry(path, entry);
    if (logs[0]?.entry === null) this.#checkNotRemoved(logs[0].path, checkpoints);
    if (!head || head.turnId <= last) return null;
    const unsigned = { ...head, at: this.#now(), publicKey: this.#key.publicKey() };
    const signature = this.#key.sign(witnessedCheckpointText(memoryId, unsigned));
    const checkpoint = { ...unsigned, signature };
    await this.#store.evidence.addCheckpoint(checkpoint);
    for (const { path, entry } of logs) {
      const links = await chainLinks(this.#store, entry?.turnId ?? 0, head.turnId);
      appendToWitnessLog(path, { memoryId, ...checkpoint, links }, this.#key);
    }
    return checkpoint;
  }

  /** A log that is gone is not begun anew. A crash may have come between the very first checkpoint and its line. */
  #checkNotRemoved(path: string, checkpoints: readonly Checkpoint[]): void {
    const witnessed = checkpoints.filter((checkpoint) => isWitnessed(this.#store.memoryId, checkpoint));
    if (witnessed.length <= 1) return;
    throw new MemoryError(
      'CHAIN_BROKEN',
      `Nothing is signed: ${path} is missing. Bring it back from a backup.`,
    );
  }

  /** Nothing is signed over a log that this memory does not agree with. @throws MemoryError CHAIN_BROKEN */
  async #checkEntry(path: string, { turnId, chainHash, publicKey }: WitnessEntry): Promise<void> {
    const [turn] = await this.#store.evidence.get([turnId]);
    const isOurs = this.#key.exists() && this.#key.publicKey() === publicKey;
    if (isOurs && turn?.chainHash === chainHash) return;
    const reason = isOurs
      ? 'The memory does not agree with it.'
      : `It was signed with another key than ${this.#key.path}.`;
    throw new MemoryError(
      'CHAIN_BROKEN',
      `Nothing is signed: ${path} holds turn ${turnId}. ${reason} Run verify.`,
    );
  }
}
