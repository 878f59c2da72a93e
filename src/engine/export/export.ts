/** Exports a memory as JSON Lines and imports it: its turns, and what was learnt from them or added by hand. */
import type {
  IncomingItem,
  IngestOptions,
  IngestProblem,
  IngestReport,
  SensitivePolicy,
} from '../../ingest/ingest.ts';
import { MemoryError, unitsOfKind } from '../../model/model.ts';
import { unitPages, type Store } from '../../store/store.ts';
import { internals } from '../internals.ts';
import type { Memory } from '../memory.ts';
import { UNIT_JOB_KINDS } from '../memoryCore.ts';
import type { DerivedRecord } from './derivedForm.ts';
import { formatDerived, formatEnd, formatHeader, formatTurn, readExport } from './form.ts';
import type { ExportEnd, ExportHeader, ExportItem } from './form.ts';
import { createOriginReader } from './origins.ts';
import { readDerived } from './readDerived.ts';
import { holdsDerived, writeDerived } from './writeDerived.ts';

export { beginsExport, type ExportEnd, type ExportHeader } from './form.ts';

const LINES_PER_PIECE = 500;

/**
 * Exports every turn of a memory, word for word, and all other data, piece by piece. Returns the content of the
 * last line, or null when the signal was aborted.
 * @throws MemoryError NOT_FOUND when a turn has no episode
 */
export async function* exportMemory(
  memory: Memory,
  options: { readonly onProgress?: (turns: number) => void; readonly signal?: AbortSignal } = {},
): AsyncGenerator<string, ExportEnd | null> {
  const { store, sensitivePolicy } = internals(memory);
  const origins = createOriginReader(memory);
  const episodes = new Map<number, number>();
  const edited: DerivedRecord[] = [];
  const { memoryId, timeZone } = memory;
  const isMasked = sensitivePolicy === 'mask';
  let lines = [formatHeader({ memoryId, timeZone, isLearnt: await holdsDerived(store), isMasked })];
  let turns = 0;
  let chainHead = '';
  for await (const turn of memory.conversations.turns()) {
    const { unitId, origin, edits } = await origins.read(turn.id);
    lines.push(formatTurn(turn, origin));
    turns += 1;
    // If turns were forgotten, the remaining ones give another chain.
    chainHead = turn.id === turns ? turn.chainHash : '';
    episodes.set(unitId, turns);
    if (edits) edited.push({ omoide: 'episode', of: `t${turns}`, set: edits });
    if (lines.length < LINES_PER_PIECE) continue;
    options.onProgress?.(turns);
    yield joinLines(lines);
    if (options.signal?.aborted) return null;
    lines = [];
  }
  let others = edited.length;
  lines.push(...edited.map(formatDerived));
  for await (const record of readDerived(store, episodes)) {
    lines.push(formatDerived(record));
    others += 1;
    if (lines.length < LINES_PER_PIECE) continue;
    yield joinLines(lines);
    if (options.signal?.aborted) return null;
    lines = [];
  }
  const end = { turns, others, chainHead };
  yield joinLines([...lines, formatEnd(end)]);
  return end;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** An export whose header has been read. */
export interface OpenExport {
  readonly header: ExportHeader;
  /**
   * Adds its turns; may be called once. Turns that cannot be added are reported, and the others are added.
   * @throws MemoryError CHAIN_BROKEN when the memory was empty and now differs from the export
   */
  importInto(memory: Memory, options?: IngestOptions): Promise<IngestReport>;
}

/**
 * @param name the name in errors: a file, `The body`
 * @throws MemoryError UNKNOWN_FORMAT, and errors of reading the bytes
 */
export async function openExport(bytes: AsyncIterable<Uint8Array>, name: string): Promise<OpenExport> {
  const items = readExport(bytes, name);
  const first = await items.next();
  if (first.done || first.value.type !== 'header') {
    throw new MemoryError('UNKNOWN_FORMAT', `${name} has no header.`);
  }
  const { header } = first.value;
  return {
    header,
    importInto: (memory, options = {}) => importTurns(memory, { header, items, name }, options),
  };
}

interface Incoming {
  readonly header: ExportHeader;
  readonly items: AsyncIterable<ExportItem>;
  readonly name: string;
}

async function importTurns(
  memory: Memory,
  { header, items, name }: Incoming,
  options: IngestOptions,
): Promise<IngestReport> {
  const { store, addAll, sensitivePolicy: policy } = internals(memory);
  const wasEmpty = (await memory.admin.info()).turns === 0;
  // Derived data is restored as a whole, and only if nothing was learnt yet.
  const takesDerived = !(await holdsDerived(store));
  const reading = new ExportReading(items);
  const report = await addAll(reading.turns(), { ...options, learns: !(takesDerived && header.isLearnt) });
  const isInterrupted = options.signal?.aborted === true;
  const problems = reading.settleProblems(report, isInterrupted);
  if (wasEmpty && reading.end && problems.length === 0 && !isInterrupted) {
    await checkChain(memory, name, reading.end);
  }
  const whole = { ...report, read: report.read + reading.unreadable, problems };
  if (reading.derived.length === 0 || isInterrupted) return whole;
  if (!takesDerived) return { ...whole, remarks: [...whole.remarks, LEFT_OUT] };
  await restoreDerived({ store, policy: header.isMasked ? 'off' : policy }, reading);
  return whole;
}

const LEFT_OUT =
  'Facts, topics and other derived units were left out: this memory already has some of its own.';

async function restoreDerived(
  { store, policy }: { readonly store: Store; readonly policy: SensitivePolicy },
  { derived, places }: ExportReading,
): Promise<void> {
  const episodes = new Map<string, number>();
  const filter = { kinds: ['episode'], withArchived: true, maxSensitivity: 'secret' } as const;
  for await (const page of unitPages(store, filter, { limit: LINES_PER_PIECE, oldestFirst: true })) {
    for (const { id, payload } of unitsOfKind('episode', page)) {
      const ref = places.get(placeKey(payload));
      if (ref !== undefined) episodes.set(ref, id);
    }
  }
  const inOrder = [...episodes].toSorted(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
  const target = { store, episodes: new Map(inOrder), unitJobKinds: UNIT_JOB_KINDS, now: Date.now(), policy };
  await writeDerived(target, derived);
}

function placeKey(turn: {
  readonly conversationId: string;
  readonly turnIndex?: number | undefined;
}): string {
  return JSON.stringify([turn.conversationId, turn.turnIndex]);
}

/** Reads the turns of an export; records unreadable lines, and the position of each turn. */
class ExportReading {
  end: ExportEnd | null = null;
  /** Records other than turns, in the order of the lines. */
  readonly derived: DerivedRecord[] = [];
  /** References of turns, by conversation and index. */
  readonly places = new Map<string, string>();
  readonly #items: AsyncIterable<ExportItem>;
  readonly #problems: IngestProblem[] = [];
  readonly #lineOfTurn: number[] = [];

  constructor(items: AsyncIterable<ExportItem>) {
    this.#items = items;
  }

  get unreadable(): number {
    return this.#problems.length;
  }

  async *turns(): AsyncGenerator<IncomingItem> {
    for await (const item of this.#items) {
      if (item.type === 'problem') this.#problems.push(item.problem);
      else if (item.type === 'end') this.end = item.end;
      else if (item.type === 'derived') this.derived.push(item.record);
      else if (item.type === 'turn') {
        const count = this.#lineOfTurn.push(item.line);
        this.places.set(placeKey(item.turn), `t${count}`);
        yield { type: 'turn', turn: item.turn, place: `turn ${count}` };
      }
    }
  }

  /** All problems in order of lines, and one more when the export is incomplete. */
  settleProblems(report: IngestReport, isInterrupted: boolean): IngestProblem[] {
    const placed = report.problems.map((problem) => {
      const line = this.#lineOfTurn[Number(/\d+$/.exec(problem.place)?.[0]) - 1] ?? null;
      return line === null ? problem : { ...problem, line, place: `line ${line}` };
    });
    const problems = [...this.#problems, ...placed].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    if (this.end || isInterrupted) return problems;
    const reason = 'The last line of the export is missing: it was cut off.';
    return [...problems, { place: 'the end', line: null, code: 'INVALID_INPUT', reason }];
  }
}

/** @throws MemoryError CHAIN_BROKEN when the imported turns differ from the export */
async function checkChain(memory: Memory, name: string, end: ExportEnd): Promise<void> {
  if (end.chainHead === '') return;
  let chainHead = '';
  for await (const turn of memory.conversations.turns()) ({ chainHash: chainHead } = turn);
  if (chainHead === end.chainHead) return;
  throw new MemoryError(
    'CHAIN_BROKEN',
    `Every turn of ${name} was imported, but they differ from the exported turns: the file was changed after the export.`,
  );
}
