/** The known options. An unknown one is an error: a misspelt `dataDir` must not open another memory. */
import { describeUnknownKey, MemoryError } from '../model/model.ts';
import type { IngestOptions } from '../ingest/ingest.ts';
import type { RememberOptions } from '../notes/notes.ts';
import type { UnitChange, UnitFilter, UnitPage } from '../store/store.ts';
import type { VerifyOptions } from './checkpoints/checkpoints.ts';
import type {
  ImportOptions,
  MaskRequest,
  MemoryOptions,
  RebuildOptions,
  SensitivePage,
  UnitRestore,
  UnitUpdate,
} from './memory.ts';

/** Every key of a type, so that the compiler reports a new key that is not listed here. */
type Keys<Options> = Readonly<Record<keyof Options, true>>;
const keys = <Options>(all: Keys<Options>): readonly string[] => Object.keys(all);

const ingest: Keys<IngestOptions> = { onProgress: true, signal: true };

const KNOWN = {
  openMemory: keys<MemoryOptions>({
    dataDir: true,
    store: true,
    vectorIndex: true,
    memoryId: true,
    timeZone: true,
    embedder: true,
    reranker: true,
    model: true,
    learn: true,
    reorganize: true,
    profiles: true,
    recall: true,
    notes: true,
    onNotes: true,
    worker: true,
    onWorkerEvent: true,
    onRecall: true,
    onIngest: true,
    witness: true,
    archive: true,
    retention: true,
    sensitive: true,
    masterKey: true,
    now: true,
  }),
  'openMemory’s notes': keys<NonNullable<MemoryOptions['notes']>>({ global: true, project: true }),
  'openMemory’s retention': keys<NonNullable<MemoryOptions['retention']>>({
    turnsDays: true,
    journalDays: true,
    versionsDays: true,
  }),
  add: keys<IngestOptions>(ingest),
  remember: keys<RememberOptions>({ type: true, scope: true, now: true }),
  forget: keys<{ item: true }>({ item: true }),
  'the filter of units.list': keys<UnitFilter>({
    kinds: true,
    maxSensitivity: true,
    minSensitivity: true,
    scope: true,
    conversationId: true,
    from: true,
    to: true,
    asOf: true,
    aliveAt: true,
    validAt: true,
    beforeTurnId: true,
    withArchived: true,
    uri: true,
    states: true,
    pinned: true,
    source: true,
    entityId: true,
    topicTag: true,
    topicId: true,
    exceptUnitIds: true,
  }),
  'the page of units.list': keys<UnitPage>({ limit: true, offset: true, after: true, oldestFirst: true }),
  'units.update': keys<UnitUpdate>({ unitId: true, set: true, reason: true, expectedVersion: true }),
  'set of units.update': keys<Extract<UnitChange, { type: 'update' }>['set']>({
    state: true,
    confidence: true,
    salience: true,
    sensitivity: true,
    pinned: true,
    topicTags: true,
    expiresAt: true,
    reinforcement: true,
    emotion: true,
    content: true,
    notes: true,
  }),
  'units.sensitive': keys<SensitivePage>({ found: true, level: true, limit: true, after: true }),
  'units.mask': keys<MaskRequest>({ unitId: true, places: true, sensitivity: true, expectedVersion: true }),
  'units.restore': keys<UnitRestore>({ unitId: true, version: true, reason: true, expectedVersion: true }),
  'facts.list': keys<{ limit: true }>({ limit: true }),
  'admin.verify': keys<VerifyOptions>({ witness: true, expect: true, receipt: true }),
  'admin.archive': keys<{ onProgress: true }>({ onProgress: true }),
  'admin.rebuild': keys<RebuildOptions>({ vectors: true, onProgress: true }),
  'admin.importFile': keys<ImportOptions>({
    ...ingest,
    format: true,
    conversationId: true,
    me: true,
    dateOrder: true,
  }),
} as const;

/** @throws MemoryError INVALID_INPUT, naming the option and the most similar known one */
export function checkOptions(of: keyof typeof KNOWN, given: object): void {
  const known = KNOWN[of];
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const reasons = unknown.map((key) => describeUnknownKey(key, known));
  throw new MemoryError('INVALID_INPUT', `Not options of ${of}: ${reasons.join('; ')}`);
}
