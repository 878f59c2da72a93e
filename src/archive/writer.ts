import { MemoryError } from '../model/model.ts';
import type { RawTurn, RawTurns, Store } from '../store/store.ts';
import { formatObject, formatPointer, objectName, objectNumber, parseObject, receiptName } from './object.ts';
import type { ArchivedObject, ArchivePlace } from './place.ts';

const MAX_TURNS = 500;
const MAX_BYTES = 8_388_608;

export interface ArchiveReport {
  /** The number of turns that were copied. */
  readonly turns: number;
  /** The number of objects that were written. */
  readonly objects: number;
}

/** Copies turns that have no copy yet. Continues after an interruption; several processes may run it at once. */
export class ArchiveWriter {
  readonly #store: Store;
  readonly #turns: RawTurns;
  readonly #place: ArchivePlace;
  /** All turns up to this one are copied. */
  #archivedTo = 0;
  /** The number of the next object; null before it is known. */
  #next: number | null = null;
  #receipts = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(store: Store, turns: RawTurns, place: ArchivePlace) {
    this.#store = store;
    this.#turns = turns;
    this.#place = place;
  }

  /** Whether at least `count` turns have no copy. */
  async hasPending(count: number): Promise<boolean> {
    return (await this.#pending(count)).length === count;
  }

  /** @throws MemoryError READ_ONLY, DISK_FULL, FILE_UNREADABLE when unreachable, CHAIN_BROKEN when of another memory */
  async write(onProgress?: (turns: number) => void): Promise<ArchiveReport> {
    const writing = this.#writing.then(() => this.#write(onProgress));
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #write(onProgress?: (turns: number) => void): Promise<ArchiveReport> {
    let [turns, objects] = [0, 0];
    for (;;) {
      const pending = await this.#pending(MAX_TURNS);
      if (pending.length === 0) break;
      const batch = firstOf(pending);
      const { copied, isWritten } = await this.#writeBatch(batch);
      if (isWritten) objects += 1;
      turns += copied;
      if (copied === batch.length) this.#archivedTo = batch.at(-1)?.id ?? this.#archivedTo;
      onProgress?.(turns);
    }
    return { turns, objects: objects + (await this.#writeReceipts()) };
  }

  #pending(limit: number): Promise<RawTurn[]> {
    return this.#turns.page({ afterId: this.#archivedTo, limit, unarchived: true });
  }

  /** Skipped when another process, or this one before it was killed, has already written the first of these turns. */
  async #writeBatch(batch: readonly RawTurn[]): Promise<{ copied: number; isWritten: boolean }> {
    const { memoryId } = this.#store;
    for (;;) {
      this.#next ??= await this.#firstFree();
      const name = objectName(memoryId, this.#next);
      const written = await this.#place.write(name, formatObject(this.#store, batch));
      this.#next += 1;
      if (written) {
        await this.#point(batch, written);
        return { copied: batch.length, isWritten: true };
      }
      const copied = await this.#adopt(name, batch);
      if (copied > 0) return { copied, isWritten: false };
    }
  }

  /** The last existing objects may contain turns whose pointers were not stored. */
  async #firstFree(): Promise<number> {
    const objects = await this.#place.list(`${this.#store.memoryId}/`);
    const last = objects.findLast(({ name }) => objectNumber(name) !== null);
    return last ? (objectNumber(last.name) ?? 1) : 1;
  }

  /** How many of these turns are in an existing object. */
  async #adopt(name: string, batch: readonly RawTurn[]): Promise<number> {
    const object = (await this.#place.list(name)).find((one) => one.name === name);
    const content = object && (await this.#place.read(object));
    if (!content) return 0;
    const there = new Map(parseObject(content, object).turns.map((turn) => [turn.id, turn.contentHash]));
    const found = batch.filter(({ id }) => there.has(id));
    if (found.some(({ id, contentHash }) => there.get(id) !== contentHash)) {
      const message = `${this.#place.name} is the archive of another memory ${this.#store.memoryId}: use another one.`;
      throw new MemoryError('CHAIN_BROKEN', message);
    }
    await this.#point(found, object);
    return found.length;
  }

  async #point(turns: readonly RawTurn[], object: ArchivedObject): Promise<void> {
    await this.#turns.setPointers(
      turns.map(({ id }) => id),
      formatPointer(object),
    );
  }

  async #writeReceipts(): Promise<number> {
    const receipts = await this.#store.forgetting.receipts();
    let written = 0;
    for (; this.#receipts < receipts.length; this.#receipts += 1) {
      const content = Buffer.from(`${JSON.stringify(receipts[this.#receipts])}\n`);
      const name = receiptName(this.#store.memoryId, this.#receipts + 1);
      if (await this.#place.write(name, content)) written += 1;
    }
    return written;
  }
}

/** The turns for one object, limited in size, since objects are read as a whole. */
function firstOf(turns: readonly RawTurn[]): RawTurn[] {
  let bytes = 0;
  const end = turns.findIndex(({ sealed }, index) => {
    bytes += sealed.length;
    return index > 0 && bytes > MAX_BYTES;
  });
  return turns.slice(0, end === -1 ? turns.length : end);
}
