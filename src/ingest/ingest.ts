import {
  checkId,
  checkMasks,
  checkSpeaker,
  checkText,
  isMemoryError,
  MemoryError,
  newTurnSchema,
  parseInput,
  parseInstant,
  sensitivityOf,
  type ErrorCode,
  type Instant,
  type NewTurn,
  type SensitiveSpan,
} from '../model/model.ts';
import { findSensitive, maskFound } from '../text/text.ts';
import type { AddedTurn, Store, TurnDraft } from '../store/store.ts';

export * from './import/import.ts';

export interface IngestDependencies {
  readonly store: Store;
  readonly now: () => Instant;
  /** Kinds of job to create for each new episode. */
  readonly jobKinds: readonly string[];
  /** What happens to turns that contain personal data or secrets; default `off`. */
  readonly sensitive?: SensitivePolicy;
}

/**
 * What happens to a turn that contains personal data or a secret. `off`: no detection. `mark`: the turn becomes
 * `private`, or `secret` for passwords, keys, cards, accounts, passports and identity numbers, unless the caller
 * sets its sensitivity. `mask`: the same, and what was found is masked wherever the turn is searched, learnt from or
 * recalled; only the turn itself has it word for word. `refuse`: the turn is rejected.
 */
export const SENSITIVE_POLICIES = ['off', 'mark', 'mask', 'refuse'] as const;
export type SensitivePolicy = (typeof SENSITIVE_POLICIES)[number];

/** A turn to be added, and its origin (`line 12`) for messages. */
export interface IncomingTurn {
  readonly turn: NewTurn;
  readonly place: string;
}

/** Something that could not be added. The rest was added. */
export interface IngestProblem {
  readonly place: string;
  readonly line: number | null;
  readonly code: ErrorCode;
  readonly reason: string;
}

export interface IngestReport {
  /** Turns read, including those that were known or rejected. */
  readonly read: number;
  /** Turns that were new. */
  readonly added: number;
  /** Turns that were already in the memory. */
  readonly known: number;
  readonly problems: readonly IngestProblem[];
  /** Decisions about files as a whole, to show to people: how dates were read, which files were skipped. */
  readonly remarks: readonly string[];
  readonly elapsedMs: number;
}

export interface IngestOptions {
  /** Called after each batch is written to the disk. */
  readonly onProgress?: (progress: { read: number; added: number }) => void;
  readonly signal?: AbortSignal;
}

/** Hooks of the engine. */
export interface IngestHooks {
  /** Called with the turns of a batch after it is written to the disk. */
  readonly onAdded?: (turns: readonly AddedTurn[]) => void;
}

export type IncomingItem =
  | ({ type: 'turn' } & IncomingTurn)
  | ({ type: 'problem' } & IngestProblem)
  | { type: 'remark'; text: string };

/** Turns in one transaction: enough to share the cost of a disk flush, few enough that little has to be repeated. */
const BATCH_TURNS = 256;

/**
 * Adds one turn.
 * @throws MemoryError EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT, INVALID_ID, INVALID_TIME, INVALID_INPUT,
 * TURN_CONFLICT, TURN_FORGOTTEN, CHAIN_BROKEN when the last turns are missing
 */
export async function ingestTurn(dependencies: IngestDependencies, turn: NewTurn): Promise<AddedTurn> {
  const [appended] = await dependencies.store.evidence.append([draftTurn(dependencies, turn)]);
  if (!appended) throw new MemoryError('STORE_FAILED', 'The store has stored nothing.');
  return appended;
}

/**
 * Adds many turns in batches; each batch is one transaction. A turn that cannot be added is reported, and the
 * others are added. Stops between batches when the signal is aborted; what was reported as progress is kept.
 */
export async function ingestAll(
  dependencies: IngestDependencies,
  items: Iterable<IncomingItem> | AsyncIterable<IncomingItem>,
  options: IngestOptions & IngestHooks = {},
): Promise<IngestReport> {
  const startedAt = performance.now();
  const problems: IngestProblem[] = [];
  const remarks: string[] = [];
  const counts = { read: 0, added: 0, known: 0 };
  let batch: IncomingDraft[] = [];
  const flush = async () => {
    const appended = await appendBatch(dependencies.store, batch, problems);
    for (const { isNew } of appended) counts[isNew ? 'added' : 'known'] += 1;
    batch = [];
    options.onAdded?.(appended);
    options.onProgress?.({ read: counts.read, added: counts.added });
  };
  for await (const item of items) {
    if (options.signal?.aborted) break;
    if (item.type === 'remark') {
      remarks.push(item.text);
      continue;
    }
    counts.read += 1;
    if (item.type === 'problem') {
      problems.push({ place: item.place, line: item.line, code: item.code, reason: item.reason });
      continue;
    }
    const draft = tryDraft(dependencies, item, problems);
    if (draft) batch.push({ draft, place: item.place });
    if (batch.length >= BATCH_TURNS) await flush();
  }
  await flush();
  return { ...counts, problems, remarks, elapsedMs: performance.now() - startedAt };
}

interface IncomingDraft {
  readonly draft: TurnDraft;
  readonly place: string;
}

/** Adds all turns in one transaction. When a turn fails, retries each half, so that only that turn is left out. */
async function appendBatch(
  store: Store,
  batch: readonly IncomingDraft[],
  problems: IngestProblem[],
): Promise<AddedTurn[]> {
  if (batch.length === 0) return [];
  try {
    return await store.evidence.append(batch.map((item) => item.draft));
  } catch (error) {
    if (!isMemoryError(error, 'TURN_CONFLICT') && !isMemoryError(error, 'TURN_FORGOTTEN')) throw error;
    if (batch.length > 1) {
      const halves = [batch.slice(0, batch.length >> 1), batch.slice(batch.length >> 1)];
      const appended = [];
      for (const half of halves) appended.push(...(await appendBatch(store, half, problems)));
      return appended;
    }
    problems.push(problemOf(error, batch[0]?.place ?? ''));
    return [];
  }
}

function tryDraft(
  dependencies: IngestDependencies,
  item: IncomingTurn,
  problems: IngestProblem[],
): TurnDraft | undefined {
  try {
    return draftTurn(dependencies, item.turn);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    problems.push(problemOf(error, item.place));
    return undefined;
  }
}

function problemOf(error: MemoryError, place: string): IngestProblem {
  const line = /^line (\d+)/.exec(place)?.[1];
  return { place, line: line === undefined ? null : Number(line), code: error.code, reason: error.message };
}

function draftTurn(dependencies: IngestDependencies, input: NewTurn): TurnDraft {
  const { store, now, jobKinds, sensitive = 'off' } = dependencies;
  const turn = parseInput(newTurnSchema, input, 'a turn');
  // A caller that says “normal” has decided that there is nothing.
  const found = turn.masks ?? (turn.sensitivity === 'normal' ? [] : inspect(turn.text, sensitive));
  const isMasking = turn.masks === undefined && sensitive === 'mask' && turn.sensitivity !== 'normal';
  const inName = turn.isSpeakerMasked === undefined && turn.sensitivity !== 'normal';
  const foundInName = inName ? inspect(turn.speaker, sensitive) : [];
  const isSpeakerMasked = turn.isSpeakerMasked ?? (sensitive === 'mask' && foundInName.length > 0);
  const masks = isMasking ? found : (turn.masks ?? []);
  const shown = (words: string) => (isMasking ? maskFound(words) : words);
  return {
    conversationId: checkId(turn.conversationId, 'conversation id'),
    turnIndex: turn.turnIndex ?? null,
    speaker: checkSpeaker(turn.speaker),
    text: checkText(turn.text),
    occurredAt: turn.occurredAt === undefined ? now() : parseInstant(turn.occurredAt, store.timeZone),
    meta: { ...turn.meta, ...(turn.remember === false && { remember: false }) },
    source: turn.source ?? 'chat',
    sensitivity: turn.sensitivity ?? sensitivityOf([...found, ...foundInName]),
    scope: turn.scope ?? 'global',
    imageSummary: turn.imageSummary === undefined ? null : shown(checkText(turn.imageSummary)),
    masks: checkMasks(masks, turn.text),
    ...(isSpeakerMasked && { isSpeakerMasked }),
    ...(turn.salt !== undefined && { salt: turn.salt }),
    jobKinds,
  };
}

/** @throws MemoryError SENSITIVE_TEXT, which names the kinds that were found, without their text */
function inspect(text: string, policy: SensitivePolicy): readonly SensitiveSpan[] {
  const found = policy === 'off' ? [] : findSensitive(text);
  if (policy !== 'refuse' || found.length === 0) return found;
  const kinds = [...new Set(found.map(({ kind }) => kind))].join(', ');
  throw new MemoryError('SENSITIVE_TEXT', `The turn was rejected: it seems to contain ${kinds}.`);
}
