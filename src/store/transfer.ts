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

/**
 * The rows after a given one, which is found by its key; or those after the first `skip`, which are read too, so this is
 * only for the first page of a copy that continues.
 */
export type TransferPage = { readonly limit: number } & ({ readonly skip: number } | { readonly after: Row });

/** A memory that is copied to another store. */
export interface TransferSource {
  readonly head: TransferHead;
  /** Another text after any change. */
  fingerprint(): Promise<string>;
  count(table: TransferredName): Promise<number>;
  /** The next rows in the table's order. */
  page(table: TransferredName, page: TransferPage): Promise<Row[]>;
  counters(): Promise<Counters>;
  close(): Promise<void>;
}

export type WriteRows = (rows: readonly Row[]) => Promise<void>;

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
  /** Writes the vectors that `copyRows` passes on; it may be called again after a failure that may pass. */
  writeVectors(copyRows: (write: WriteRows) => Promise<void>): Promise<void>;
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
    const copied = await target.count(table);
    const doneBefore = done + copied;
    const copyRows = async (write: WriteRows) => {
      done = doneBefore;
      for await (const rows of pagesOf(source, table, copied)) {
        await write(rows);
        done += rows.length;
        onProgress(done, total);
      }
    };
    if (table === 'unit_vector') await target.writeVectors(copyRows);
    else await copyRows((rows) => target.write(table, rows));
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
  let left = await target.count('turn');
  for await (const page of pagesOf(source, 'turn')) {
    const rows = page.slice(0, left);
    left -= rows.length;
    const forgotten = rows.filter((row) => String(row['conversation_id']).startsWith(FORGOTTEN));
    if (forgotten.length > 0) await target.write('turn', forgotten);
    if (left === 0) return;
  }
}

/** All rows of a table, in its order, after the first `skip`. */
export async function* pagesOf(
  source: Pick<TransferSource, 'page'>,
  table: TransferredName,
  skip = 0,
  limit = PAGE,
): AsyncGenerator<Row[]> {
  for (let page: TransferPage = { skip, limit }; ;) {
    const rows = await source.page(table, page);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    page = { after: last, limit };
  }
}
