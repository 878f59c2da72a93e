import { MemoryError } from '../model/model.ts';
import { FORGOTTEN, TRANSFER_ORDER, type Row, type TransferredName } from './rows/rows.ts';
import type { Verification } from './storeAdmin.ts';

/** What a memory is apart from its rows. */
export interface TransferHead {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly memoryKey: Uint8Array;
}

/** Counters by table: the last id that was given. */
export type Counters = Readonly<Record<string, number>>;

/** A memory that is copied to another store. */
export interface TransferSource {
  readonly head: TransferHead;
  /** Another text after any change. */
  fingerprint(): Promise<string>;
  count(table: TransferredName): Promise<number>;
  /** Rows in the table's order, after the first `skip`. */
  page(table: TransferredName, page: { readonly skip: number; readonly limit: number }): Promise<Row[]>;
  counters(): Promise<Counters>;
  close(): Promise<void>;
}

/** Where a memory is copied to. It cannot be opened before it is finished. */
export interface TransferTarget {
  /**
   * Begins a copy, or goes on with one that was interrupted.
   * @returns whether it began again, since the memory had another fingerprint before: then only turns are there
   * @throws MemoryError INVALID_INPUT when there is a memory already
   */
  begin(head: TransferHead, fingerprint: string): Promise<{ readonly isRestarted: boolean }>;
  count(table: TransferredName): Promise<number>;
  /** A turn that is there already and is given again has been forgotten since. */
  write(table: TransferredName, rows: readonly Row[]): Promise<void>;
  /** Makes what things are found by, and compares everything. */
  complete(counters: Counters): Promise<Verification>;
  /** From now on it can be opened. */
  release(): Promise<void>;
  close(): Promise<void>;
}

export interface TransferReport {
  readonly memoryId: string;
  readonly turns: number;
  readonly units: number;
  readonly chainHead: string;
}

const PAGE = 1_000;

/**
 * Copies a memory with its ids, hashes, keys, versions, journal and jobs. A copy that was interrupted goes on where it was.
 * @throws MemoryError INVALID_INPUT, BUSY when the memory changes meanwhile, CHAIN_BROKEN when the copy is not whole
 */
export async function transferMemory(
  source: TransferSource,
  target: TransferTarget,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<TransferReport> {
  const fingerprint = await source.fingerprint();
  const { isRestarted } = await target.begin(source.head, fingerprint);
  if (isRestarted) await forgetTurns(source, target);
  let total = 0;
  for (const table of TRANSFER_ORDER) total += await source.count(table);
  let done = 0;
  for (const table of TRANSFER_ORDER) {
    let skip = await target.count(table);
    done += skip;
    for (;;) {
      const rows = await source.page(table, { skip, limit: PAGE });
      if (rows.length === 0) break;
      await target.write(table, rows);
      skip += rows.length;
      done += rows.length;
      onProgress(done, total);
    }
  }
  const checked = await target.complete(await source.counters());
  if ((await source.fingerprint()) !== fingerprint) {
    throw new MemoryError(
      'BUSY',
      `The memory ${source.head.memoryId} was changed during the copy. Stop all programs that write to it, then copy again.`,
    );
  }
  const [problem] = checked.problems;
  if (problem) {
    throw new MemoryError(
      'CHAIN_BROKEN',
      `The copy is incomplete: ${problem.message} Run “omoide verify” on the memory first.`,
    );
  }
  await target.release();
  const { turns, units, chainHead } = checked;
  return { memoryId: source.head.memoryId, turns, units, chainHead };
}

/** Of those copied before, those that were forgotten since. */
async function forgetTurns(source: TransferSource, target: TransferTarget): Promise<void> {
  const kept = await target.count('turn');
  for (let skip = 0; skip < kept; skip += PAGE) {
    const rows = await source.page('turn', { skip, limit: Math.min(PAGE, kept - skip) });
    const forgotten = rows.filter((row) => String(row['conversation_id']).startsWith(FORGOTTEN));
    if (forgotten.length > 0) await target.write('turn', forgotten);
  }
}
