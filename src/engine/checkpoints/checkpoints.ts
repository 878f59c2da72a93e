/** Signed checkpoints of the chain of turns: in the memory itself and in logs outside it. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  isMemoryError,
  MemoryError,
  messageOf,
  witnessedCheckpointText,
  type Checkpoint,
  type Instant,
  type WitnessEntry,
} from '../../model/model.ts';
import type { Store, Verification } from '../../store/store.ts';
import { receiptProblems } from './receipt.ts';
import { chainLinks, compareWithLog, isWitnessed } from './compare.ts';
import { SigningKey } from './signingKey.ts';
import { appendToWitnessLog, lastWitnessEntry, parseWitnessLog } from './witnessLog.ts';
import { openWitnessPlace, type WitnessPlace } from './witnessPlace.ts';

export { signReceipt } from './receipt.ts';
export type { SigningKey } from './signingKey.ts';

/** While a memory is open, this many new turns are signed together. */
const TURNS_BETWEEN = 100;
/** Before problems are looked for again: longer than from destroying rows to destroying their keys. */
const PAUSE_MS = 100;
/** How often signing is tried when another process signs at the same time. */
const MAX_ATTEMPTS = 10;

export interface CheckpointOptions {
  readonly dataDir: string;
  readonly store: Store;
  readonly now: () => Instant;
  /** Another witness log outside the data folder: a file or a URL. */
  readonly witness?: string | undefined;
  /** Whether other servers with their own folders sign, too: the log of this folder does not contain their checkpoints. */
  readonly isShared?: boolean;
}

export interface VerifyOptions {
  /** A witness log (file or URL) to compare with, in addition to those that are written. */
  readonly witness?: string;
  /** A chain hash that was noted earlier: it must be that of some turn. */
  readonly expect?: string;
  /** A receipt of forgetting, which must match the memory. */
  readonly receipt?: unknown;
}

export class Checkpoints {
  readonly #store: Store;
  readonly #now: () => Instant;
  readonly #key: SigningKey;
  /** The log of the folder is first. */
  readonly #places: readonly WitnessPlace[];
  readonly #isShared: boolean;
  /** How many turns of this process are not signed yet. */
  #unsigned = 0;
  #signing: Promise<unknown> = Promise.resolve();

  constructor({ dataDir, store, now, witness, isShared = false }: CheckpointOptions) {
    this.#isShared = isShared;
    this.#store = store;
    this.#now = now;
    this.#key = new SigningKey(join(dataDir, 'signing.key'));
    const own = openWitnessPlace(join(dataDir, `witness_${store.memoryId}.log`));
    this.#places = witness === undefined ? [own] : [own, openWitnessPlace(witness)];
  }

  /**
   * Signs the current turns, unless a break was found. Null when no turns were added since the last checkpoint.
   * @throws MemoryError CHAIN_BROKEN, READ_ONLY, DISK_FULL, FILE_UNREADABLE
   */
  async sign(): Promise<Checkpoint | null> {
    const signing = this.#signing.then(() => this.#sign());
    this.#signing = signing.catch(() => {});
    return signing;
  }

  /** Records that turns were added, and signs when there are many. */
  noteAdded(count: number): void {
    this.#unsigned += count;
    if (this.#unsigned >= TURNS_BETWEEN) void this.signAdded();
  }

  /** Signs what this process added. Ignores errors, whose cause `verify` reports. */
  async signAdded(): Promise<void> {
    if (this.#unsigned === 0) return;
    this.#unsigned = 0;
    try {
      await this.sign();
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
    }
  }

  /** The key that also signs receipts. */
  get key(): SigningKey {
    return this.#key;
  }

  /**
   * Compares the memory, in one snapshot, with itself, its logs and its keys. These are read one after another: while
   * another process forgets or signs, they may disagree for a moment. Therefore a problem counts if it is found twice.
   * @throws MemoryError FILE_UNREADABLE
   */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    const verification = await this.#look(options);
    if (verification.problems.length === 0) return verification;
    await setTimeout(PAUSE_MS);
    return this.#look(options);
  }

  async #look(options: VerifyOptions): Promise<Verification> {
    await this.#signing;
    const verification = await this.#store.admin.verify();
    try {
      return await this.#compare(verification, options);
    } catch (error) {
      if (error instanceof MemoryError) throw error;
      // Damaged rows that are not of the form they must have.
      const message = `Checkpoints and receipts cannot be read: ${messageOf(error)}`;
      return { ...verification, problems: [...verification.problems, { code: 'FILE_DAMAGED', message }] };
    }
  }

  async #compare(
    verification: Verification,
    { witness, expect, receipt }: VerifyOptions,
  ): Promise<Verification> {
    const others = this.#places.every(({ name }) => name !== witness) ? [witness] : [];
    const places = [...this.#places, ...others.flatMap((name) => (name ? [openWitnessPlace(name)] : []))];
    // In this order, since a checkpoint is written to the memory first, then to the logs, before the next one is made.
    const before = await this.#store.evidence.checkpoints();
    const logs = await Promise.all(places.map((place, index) => this.#readLog(place, index === 0)));
    const checkpoints = await this.#store.evidence.checkpoints();
    const ownKey = this.#key.exists() ? { path: this.#key.path, publicKey: this.#key.publicKey() } : null;
    const compared = await compareWithLog(this.#store, {
      verification,
      checkpoints,
      before,
      ownKey,
      logs,
      expect,
    });
    const forgetting = await receiptProblems(this.#store, ownKey?.publicKey ?? null, receipt);
    return { ...compared, problems: [...compared.problems, ...forgetting] };
  }

  async #readLog(place: WitnessPlace, isOwn: boolean) {
    const text = await place.read();
    const ownKind = this.#isShared ? ('shared' as const) : ('own' as const);
    const kind = isOwn ? ownKind : place.kind;
    const content = parseWitnessLog(text ?? '', place.name, this.#store.memoryId);
    return { path: place.name, kind, exists: text !== null, ...content };
  }

  async #sign(): Promise<Checkpoint | null> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#trySign();
      } catch (error) {
        if (!isMemoryError(error, 'VERSION_CONFLICT') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #trySign(): Promise<Checkpoint | null> {
    const { memoryId, evidence } = this.#store;
    const head = await evidence.head();
    const checkpoints = await evidence.checkpoints();
    const [own, ...others] = await this.#openLogs(checkpoints);
    if (own?.failure) throw own.failure;
    const last = checkpoints.at(-1) ?? null;
    const isNew = head !== null && head.turnId > (last?.turnId ?? 0);
    let checkpoint: Checkpoint | null = null;
    if (isNew) {
      const unsigned = { ...head, at: this.#now(), publicKey: this.#key.publicKey() };
      const signature = this.#key.sign(witnessedCheckpointText(memoryId, unsigned));
      checkpoint = { ...unsigned, signature };
      await evidence.addCheckpoint(checkpoint, last);
    }
    const failures: unknown[] = [];
    for (const log of own ? [own, ...others] : []) {
      const failure = log.failure ?? (checkpoint && (await this.#append(log, [checkpoint])));
      if (failure) failures.push(failure);
    }
    if (failures.length > 0) throw failures[0];
    return checkpoint;
  }

  /**
   * Opens every log with its last entry, and adds missing checkpoints: the process that made them may have been
   * killed before it wrote to the log. A log that is unreachable or inconsistent has a failure.
   */
  async #openLogs(checkpoints: readonly Checkpoint[]): Promise<OpenLog[]> {
    const logs: OpenLog[] = [];
    for (const [index, place] of this.#places.entries()) {
      const log: OpenLog = { place, last: null, failure: null };
      logs.push(log);
      try {
        const text = await place.read();
        log.last = lastWitnessEntry(text ?? '', place.name, this.#store.memoryId);
        if (log.last) await this.#checkEntry(place.name, log.last);
        else if (index === 0 && !this.#isShared)
          this.#checkNotRemoved(place.name, text !== null, checkpoints);
        if (text === null) await place.create();
        log.failure = await this.#append(log, this.#unlogged(log, checkpoints));
      } catch (error) {
        log.failure = error;
      }
      // An inconsistent log stops the signing; an unreachable one is updated later.
      if (isMemoryError(log.failure, 'CHAIN_BROKEN')) throw log.failure;
    }
    return logs;
  }

  /** Checkpoints after the last entry: the last one for a file, all of them for a URL. */
  #unlogged({ place, last }: OpenLog, checkpoints: readonly Checkpoint[]): Checkpoint[] {
    const later = checkpoints.filter(
      (checkpoint) =>
        checkpoint.turnId > (last?.turnId ?? 0) && isWitnessed(this.#store.memoryId, checkpoint),
    );
    if (place.kind === 'url') return last === null ? later.slice(-1) : later;
    const isSecond = last !== null || place === this.#places[0];
    return later.length === 1 && isSecond ? later : [];
  }

  /** Returns the error, if any. */
  async #append(log: OpenLog, checkpoints: readonly Checkpoint[]): Promise<unknown> {
    const { memoryId } = this.#store;
    try {
      for (const checkpoint of checkpoints) {
        const links = await chainLinks(this.#store, log.last?.turnId ?? 0, checkpoint.turnId);
        await appendToWitnessLog(log.place, { memoryId, ...checkpoint, links }, this.#key);
        log.last = { memoryId, ...checkpoint, links, seal: '' };
      }
      return null;
    } catch (error) {
      return error;
    }
  }

  /** A missing log is not created again, since it is created before the first checkpoint. */
  #checkNotRemoved(path: string, exists: boolean, checkpoints: readonly Checkpoint[]): void {
    const witnessed = checkpoints.filter((checkpoint) => isWitnessed(this.#store.memoryId, checkpoint));
    if (witnessed.length <= (exists ? 1 : 0)) return;
    const state = exists ? 'contains nothing of this memory' : 'is missing';
    throw new MemoryError('CHAIN_BROKEN', `Nothing is signed: ${path} ${state}. Restore it from a backup.`);
  }

  /** Nothing is signed when a log contradicts this memory. @throws MemoryError CHAIN_BROKEN */
  async #checkEntry(path: string, { turnId, chainHash, publicKey }: WitnessEntry): Promise<void> {
    const [turn] = await this.#store.evidence.get([turnId]);
    const isOurs = this.#key.exists() && this.#key.publicKey() === publicKey;
    if (isOurs && turn?.chainHash === chainHash) return;
    const reason = isOurs
      ? 'The memory does not match it.'
      : `It was signed with another key than ${this.#key.path}.`;
    throw new MemoryError(
      'CHAIN_BROKEN',
      `Nothing is signed: ${path} contains turn ${turnId}. ${reason} Run verify.`,
    );
  }
}

interface OpenLog {
  readonly place: WitnessPlace;
  last: WitnessEntry | null;
  failure: unknown;
}
