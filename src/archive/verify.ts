import { isMemoryError } from '../model/model.ts';
import type { RawTurn, RawTurns } from '../store/store.ts';
import { formatPointer, parseObject, parsePointer } from './object.ts';
import type { ArchivePlace } from './place.ts';

const PAGE = 1_000;
/** The most problems that are listed. */
const MAX_NAMED = 20;

export interface ArchiveCheck {
  /** The number of turns whose copy was compared. */
  readonly archived: number;
  /** The number of turns without a copy. */
  readonly pending: number;
  readonly objects: number;
  /** The number of objects that can currently be deleted or replaced; null when this is unknown. */
  readonly unlocked: number | null;
  /** The problems, one sentence each; empty when there are none. */
  readonly problems: readonly string[];
}

/** Compares every turn with its copy, if it has one. @throws MemoryError FILE_UNREADABLE when the archive is unreachable */
export async function verifyArchive(turns: RawTurns, place: ArchivePlace): Promise<ArchiveCheck> {
  const checking = new Checking(place);
  let [archived, pending] = [0, 0];
  for (let afterId = 0; ;) {
    const page = await turns.page({ afterId, limit: PAGE });
    const last = page.at(-1);
    if (!last) break;
    for (const turn of page) {
      if (turn.rawPointer === null) pending += 1;
      else {
        archived += 1;
        await checking.check(turn, turn.rawPointer);
      }
    }
    afterId = last.id;
  }
  const { objects, unlocked, problems } = checking;
  return { archived, pending, objects, unlocked, problems };
}

class Checking {
  objects = 0;
  unlocked: number | null = null;
  readonly #place: ArchivePlace;
  readonly #problems: string[] = [];
  #wrong = 0;
  /** The last object that was read: the turns of an object are consecutive. */
  #open: { readonly pointer: string; readonly turns: ReadonlyMap<number, RawTurn> | null } | null = null;

  constructor(place: ArchivePlace) {
    this.#place = place;
  }

  get problems(): readonly string[] {
    const more = this.#wrong - MAX_NAMED;
    return more > 0 ? [...this.#problems, `${more} more.`] : this.#problems;
  }

  async check(turn: RawTurn, pointer: string): Promise<void> {
    if (this.#open?.pointer !== pointer) this.#open = { pointer, turns: await this.#read(pointer) };
    const { turns } = this.#open;
    if (!turns) return;
    const copy = turns.get(turn.id);
    if (!copy) this.#tell(`${pointer} does not contain turn ${turn.id}.`);
    else if (!isSame(copy, turn)) this.#tell(`Turn ${turn.id} differs from its copy in ${pointer}.`);
  }

  async #read(pointer: string): Promise<ReadonlyMap<number, RawTurn> | null> {
    const object = parsePointer(pointer);
    this.objects += 1;
    try {
      const content = await this.#place.read(object);
      if (!content) return this.#tell(`${pointer} is missing in the archive.`);
      const isLocked = await this.#place.isLocked(object);
      if (isLocked !== null) this.unlocked = (this.unlocked ?? 0) + (isLocked ? 0 : 1);
      return new Map(parseObject(content, object).turns.map((turn) => [turn.id, turn]));
    } catch (error) {
      if (!isMemoryError(error, 'FILE_UNREADABLE')) throw error;
      return this.#tell(`${formatPointer(object)}: ${error.message}`);
    }
  }

  #tell(problem: string): null {
    this.#wrong += 1;
    if (this.#wrong <= MAX_NAMED) this.#problems.push(problem);
    return null;
  }
}

function isSame(a: RawTurn, b: RawTurn): boolean {
  return (
    Buffer.from(a.sealed).equals(b.sealed) &&
    a.contentHash === b.contentHash &&
    a.chainHash === b.chainHash &&
    a.turnIndex === b.turnIndex &&
    a.occurredAt === b.occurredAt &&
    a.conversation.hash === b.conversation.hash
  );
}
