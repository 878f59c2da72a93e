import { MemoryError, receiptSchema, type Receipt } from '../model/model.ts';
import type { RawTurn } from '../store/store.ts';
import { isReceiptName, objectNumber, parseObject, type ArchiveHeader } from './object.ts';
import type { ArchivedObject, ArchivePlace } from './place.ts';

export interface ArchiveContent {
  readonly header: ArchiveHeader;
  readonly receipts: readonly Receipt[];
  /** The turns of each object, in the order of writing. */
  readonly turns: () => AsyncGenerator<RawTurn[]>;
  /** Numbers of missing objects between the first and the last. */
  readonly missing: readonly number[];
}

/** @throws MemoryError NOT_FOUND when it contains nothing of this memory, FILE_UNREADABLE */
export async function readArchive(place: ArchivePlace, memoryId: string): Promise<ArchiveContent> {
  const objects = await place.list(`${memoryId}/`);
  const ofTurns = objects.filter(({ name }) => objectNumber(name) !== null);
  const [first] = ofTurns;
  if (!first) {
    throw new MemoryError(
      'NOT_FOUND',
      `The archive ${place.name} contains nothing of the memory ${memoryId}.`,
    );
  }
  const { header } = parseObject(await readWhole(place, first), first);
  const receipts = [];
  for (const object of objects.filter(({ name }) => isReceiptName(name)))
    receipts.push(parseReceipt(await readWhole(place, object), object.name));
  const numbers = new Set(ofTurns.map(({ name }) => objectNumber(name)));
  const last = Math.max(...[...numbers].map(Number));
  return {
    header,
    receipts,
    async *turns() {
      for (const object of ofTurns) yield parseObject(await readWhole(place, object), object).turns;
    },
    missing: Array.from({ length: last }, (_, index) => index + 1).filter((number) => !numbers.has(number)),
  };
}

async function readWhole(place: ArchivePlace, object: ArchivedObject): Promise<Uint8Array> {
  const content = await place.read(object);
  if (content) return content;
  throw new MemoryError('FILE_UNREADABLE', `${object.name} is missing in the archive ${place.name}.`);
}

function parseReceipt(content: Uint8Array, name: string): Receipt {
  try {
    return receiptSchema.parse(JSON.parse(Buffer.from(content).toString()));
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `${name} is damaged.`, { cause });
  }
}
