/** Opens a memory and connects its parts. Only this file knows all of them. */
import {
  createDerivations,
  createWorker,
  EPISODE_DERIVATIONS,
  nameTopic,
  type DerivationParts,
  type WorkerEvent,
} from '../derive/derive.ts';
import {
  BUNDLED_EMBEDDER_ID,
  openEmbedder,
  FormBreaker,
  openLanguageModel,
  openReranker,
  STATIC_EMBEDDER_ID,
  type Embedder,
  type LanguageModelSettings,
  type RerankerSettings,
} from '../llm/llm.ts';
import { KeyFile, parseMasterKeySetting } from '../keys/keys.ts';
import { checkMemoryId, checkTimeZone, MemoryError, sweepTemporary, systemTimeZone } from '../model/model.ts';
import { openStore, rotateKeysOfStore } from './stores.ts';
import {
  Archiving,
  restoreArchive as restore,
  type ArchiveRestore,
  type RestoredArchive,
} from './archiving/archiving.ts';
import { Checkpoints } from './checkpoints/checkpoints.ts';
import type { Store } from '../store/store.ts';
import { defaultDataDir } from './dataDir.ts';
import type { Memory, MemoryOptions } from './memory.ts';
import {
  createReorganizeDerivation,
  scheduleReorganization,
  type OrganizeParts,
} from '../organize/organize.ts';
import { DocumentReader, checkRecallDefaults, parseProfiles } from '../recall/recall.ts';
import { ForegroundPriority, PendingWork } from '../async/async.ts';
import { Retention } from './retention.ts';
import { MemoryCore, UNIT_JOB_KINDS, type MemoryParts } from './memoryCore.ts';
import { OpenedMemory } from './openedMemory.ts';
import { checkOptions } from './options.ts';

export * from '../model/model.ts';
export {
  exploreTool,
  forgetTool,
  journalTool,
  recallTool,
  rememberTool,
  requireNotes,
  tasksTool,
  type AgentAccess,
  type AgentMemory,
  type AgentTool,
  type Explored,
  type ForgetAnswer,
  type Found,
} from './agentTools/agentTools.ts';
export { DERIVATION_KINDS, EPISODE_DERIVATIONS } from '../derive/derive.ts';
export { dueIn } from '../derive/derive.ts';
export type { FactPeriod, WorkerEvent } from '../derive/derive.ts';
export {
  REMEMBERED_TYPES,
  type FoundNotes,
  type NoteFileInfo,
  type NotesAccess,
  type NoteText,
  type RememberedNote,
  type RememberedType,
  type RememberOptions,
  type ScanReport,
  type Task,
  exportNotes,
  formatLearnt,
  importNotes,
  NOTE_SOURCES,
  type ImportedFile,
  type LearntUnit,
  type NotesExport,
  type NotesImport,
  type NoteSource,
} from '../notes/notes.ts';
export {
  DATE_ORDERS,
  detectFileFormat,
  IMPORT_FORMATS,
  previewImport,
  readConversationFile,
  SENSITIVE_POLICIES,
} from '../ingest/ingest.ts';
export type {
  DateOrder,
  ImportFormat,
  ImportPreview,
  IngestOptions,
  IngestProblem,
  IngestReport,
  PreviewedFile,
  SensitivePolicy,
} from '../ingest/ingest.ts';
export { findSensitive } from '../text/text.ts';
export { describeSensitive } from './sensitive/sensitive.ts';
export {
  embedderSettingsSchema,
  isKnownKeyVariable,
  isRestrictedAddress,
  KNOWN_MODELS,
  knownModel,
  languageModelSettingsSchema,
  openEmbedder,
  openLanguageModel,
  openTraceFile,
  parseEmbedderSetting,
  parseLanguageModelSetting,
  rerankerSettingsSchema,
  settingsForKnownModel,
  tryEmbedder,
} from '../llm/llm.ts';
export type {
  Embedder,
  EmbedderSettings,
  LanguageModel,
  LanguageModelSettings,
  ModelCall,
  ModelMessage,
  ModelRequest,
  ModelStream,
  ModelUsage,
  Reranker,
  RerankerSettings,
} from '../llm/llm.ts';
export { packOptionsSchema, SECTION_NAMES } from '../pack/pack.ts';
export type { Pack, PackOptions } from '../pack/pack.ts';
export { describePlan, REORGANIZE_SCHEDULES, type ReorganizeSchedule } from '../organize/organize.ts';
export {
  autoRecallOptionsSchema,
  EXPLORE_VIEWS,
  exploreOptionsSchema,
  exploreQuerySchema,
  fitBudget,
  NO_BUDGET,
  parseProfile,
  PROFILE_NAMES,
  recallDefaultsSchema,
  recallOptionsSchema,
  STRATEGIES,
} from '../recall/recall.ts';
export type {
  AutoRecallOptions,
  Bundle,
  Exploration,
  ExploreOptions,
  ExploreQuery,
  ProfileFile,
  ContextLine,
  Hit,
  ProfileName,
  RecallMetadata,
  RecallDefaults,
  RecallOutcome,
  RecallOptions,
  RecallResult,
  Strategy,
  Trace,
} from '../recall/recall.ts';
export type {
  AddedTurn,
  BroadcastListener,
  Broadcasts,
  ConversationInfo,
  EntityTable,
  Neighbours,
  RebuildReport,
  StoreInfo,
  TopicFilter,
  UnitChange,
  UnitFilter,
  UnitPage,
  VectorModel,
  Verification,
} from '../store/store.ts';
export { defaultDataDir } from './dataDir.ts';
export {
  isMigrated,
  listMemories,
  memoryExists,
  memoryPath,
  memoriesWithWork,
  migrateMemory,
  openBroadcasts,
  type MemoryListing,
  type MemoryPlace,
} from './stores.ts';
export {
  beginsExport,
  exportMemory,
  openExport,
  type ExportEnd,
  type ExportHeader,
  type OpenExport,
} from './export/export.ts';
export {
  moveRestored,
  RESTORING,
  unpackBackup,
  writeBackup,
  type BackupManifest,
  type BackupMasterKey,
  type BackupMemory,
  type BackupReport,
} from '../backup/backup.ts';
export { forgetRequestSchema, type Erased, type ForgetRequest } from './forgetting/forgetting.ts';
export type { ArchiveCheck, ArchiveReport } from '../archive/archive.ts';
export type { ArchiveRestore, RestoredArchive } from './archiving/archiving.ts';
export type { VerifyOptions } from './checkpoints/checkpoints.ts';
export { internals, type JobService, type MemoryInternals } from './internals.ts';
export type * from './memory.ts';

/**
 * Opens a memory; creates it when it does not exist. Where its files can only be read, it is opened without background
 * work and notes, and whatever writes throws READ_ONLY.
 *
 * @throws MemoryError INVALID_ID, INVALID_INPUT, NOT_A_MEMORY, MEMORY_TOO_NEW, READ_ONLY, DISK_FULL, BUSY
 * @example
 * const memory = await openMemory({ dataDir: './data' });
 * await memory.add({ conversationId: 'c1', speaker: 'user', text: '那須塩原の吊り橋、すごく揺れたね。' });
 * const { hits } = await memory.recall('あの旅行、また行きたいな。');
 * await memory.close();
 */
export async function openMemory(given: MemoryOptions = {}): Promise<Memory> {
  return openMemoryWith(given, embedderForVectors);
}

/** Chooses what is used at first for vectors of another model than the wanted embedder's; null: words alone. */
export type EmbedderFinder = (modelId: string, wanted: Embedder) => Promise<Embedder | null>;

/** @throws MemoryError as `openMemory` does */
export async function openMemoryWith(given: MemoryOptions, findEmbedder: EmbedderFinder): Promise<Memory> {
  checkOptions('openMemory', given);
  if (given.notes) checkOptions('openMemory’s notes', given.notes);
  if (given.retention) checkOptions('openMemory’s retention', given.retention);
  const memoryId = checkMemoryId(given.memoryId ?? 'default');
  const timeZone = checkTimeZone(given.timeZone ?? systemTimeZone());
  const profiles = parseProfiles(given.profiles ?? []);
  checkRecallDefaults(given.recall, profiles);
  const models = await openModels(given);
  const now = given.now ?? Date.now;
  const { dataDir = defaultDataDir(), store: url, vectorIndex } = given;
  const onProblem = (error: string) => given.onWorkerEvent?.({ type: 'stalled', error });
  const place = { dataDir, store: url, vectorIndex };
  const { masterKey } = given;
  const key = masterKey === undefined ? {} : { masterKey: parseMasterKeySetting(masterKey) };
  const store = await openStore(place, { memoryId, timeZone, now, onProblem, ...key });
  if (!store.isReadOnly) sweepTemporary(place.dataDir);
  const options = store.isReadOnly ? withoutWriting(given) : given;
  let core: MemoryCore | undefined;
  try {
    const wanted = models.embedder.current;
    models.embedder.current = await servingEmbedder(store, wanted, findEmbedder);
    core = new MemoryCore(gatherParts(options, { store, now, profiles, ...models }));
    await scheduleWork(options, core);
    if (options.notes) await core.openNotes(options.notes);
    core.start();
    if (options.worker !== false && models.embedder.current !== wanted) await core.setEmbedder(wanted);
    const memory = new OpenedMemory(core);
    if (options.worker !== false) core.parts.retention.start((what) => memory.forget(what));
    return memory;
  } catch (error) {
    await (core ?? store).close();
    throw error;
  }
}

/** No background work, which writes. Notes are not opened, since what changed in them is written to the memory. */
function withoutWriting({ notes: _notes, ...options }: MemoryOptions): MemoryOptions {
  return { ...options, worker: false, learn: false };
}

/** The static embedder for vectors that it made, until those of the bundled one are made. */
async function embedderForVectors(modelId: string, wanted: Embedder): Promise<Embedder | null> {
  if (wanted.id !== BUNDLED_EMBEDDER_ID || modelId !== STATIC_EMBEDDER_ID) return wanted;
  return openEmbedder({ provider: 'static' });
}

async function servingEmbedder(
  store: Store,
  wanted: Embedder | null,
  findEmbedder: EmbedderFinder,
): Promise<Embedder | null> {
  if (wanted === null) return null;
  const stored = await store.indexes.vectors.model();
  return stored === null || stored.id === wanted.id ? wanted : findEmbedder(stored.id, wanted);
}

async function openModels(
  options: MemoryOptions,
): Promise<Pick<MemoryParts, 'embedder' | 'reranker' | 'model'>> {
  const embedder = options.embedder === undefined ? { provider: 'bundled' as const } : options.embedder;
  return {
    embedder: { current: await openPart('embedder', embedder, openEmbedder) },
    reranker: await openPart('reranker', options.reranker ?? null, (settings: RerankerSettings) =>
      openReranker(settings),
    ),
    model: {
      current: await openPart('model', options.model ?? null, (settings: LanguageModelSettings) =>
        openLanguageModel(settings),
      ),
    },
  };
}

/** How long learning from an utterance waits for its reply at most, in milliseconds. */
const MAX_REPLY_MS = 120_000;

type Opened = Pick<MemoryParts, 'store' | 'now' | 'profiles' | 'embedder' | 'reranker' | 'model'>;

function gatherParts(options: MemoryOptions, opened: Opened): MemoryParts {
  const { store, now, embedder, model } = opened;
  const dataDir = options.dataDir ?? defaultDataDir();
  const learns = options.learn !== false;
  const schedule = options.reorganize ?? 'nightly';
  const breaker = new FormBreaker(now);
  const replies = new PendingWork();
  const parts: DerivationParts = {
    store,
    now,
    model: () => model.current && breaker.guard(model.current),
    embedder: () => embedder.current,
    whenAnswered: (conversationId) => replies.settled(conversationId, MAX_REPLY_MS),
    unitJobKinds: UNIT_JOB_KINDS,
  };
  const organize: OrganizeParts = { ...parts, nameTopic: (unitIds) => nameTopic(parts, unitIds) };
  const foregroundPriority = new ForegroundPriority();
  const reader = new DocumentReader(store);
  const onWorkerEvent = (event: WorkerEvent) => options.onWorkerEvent?.(event);
  const learner = createWorker({
    store,
    whenIdle: () => foregroundPriority.whenIdle(),
    derivations: [
      ...(learns ? createDerivations(parts) : []),
      ...(learns && schedule !== 'never' ? [createReorganizeDerivation(organize, schedule)] : []),
    ],
    now,
    onEvent: onWorkerEvent,
  });
  return {
    ...opened,
    foregroundPriority,
    reader,
    learner,
    breaker,
    replies,
    episodeJobKinds: learns ? [...UNIT_JOB_KINDS, ...EPISODE_DERIVATIONS] : UNIT_JOB_KINDS,
    organize,
    dataDir,
    checkpoints: new Checkpoints({
      dataDir,
      store,
      now,
      witness: options.witness,
      isShared: options.store !== undefined,
    }),
    retention: new Retention(options.retention, { store, now, onEvent: onWorkerEvent }),
    archiving: new Archiving({ store, where: options.archive, onEvent: onWorkerEvent }),
    onWorkerEvent,
    options,
  };
}

async function scheduleWork(options: MemoryOptions, { parts }: MemoryCore): Promise<void> {
  const { learn, worker, reorganize: schedule = 'nightly' } = options;
  if (learn === false || worker === false || schedule === 'never') return;
  await scheduleReorganization(parts.store, schedule, parts.now());
}

/**
 * Encrypts all keys of a data folder with a new master key. Earlier copies of `keys.db` can only be read with the
 * old master key: once that is destroyed, they are useless.
 * @param options `masterKey`: the current one; `to`: where the new one is or is to be stored, as `file:PATH`,
 * `env:VARIABLE` or `keychain`; default: a new one replaces the current one, if that is a file
 * @throws MemoryError KEY_MISSING, INVALID_INPUT, READ_ONLY, DISK_FULL, BUSY
 */
export function rotateMasterKey(
  dataDir: string,
  options: { readonly masterKey?: string; readonly to?: string } = {},
): void {
  const { masterKey, to } = options;
  const file = new KeyFile(
    dataDir,
    masterKey === undefined ? {} : { masterKey: parseMasterKeySetting(masterKey) },
  );
  try {
    file.rotate(to === undefined ? undefined : parseMasterKeySetting(to));
  } finally {
    file.close();
  }
}

/**
 * Restores a memory from its archive into an empty folder, with the same chain hash. Background work then learns
 * derived data again.
 * @throws MemoryError INVALID_INPUT, NOT_FOUND, FILE_UNREADABLE, KEY_MISSING, CHAIN_BROKEN
 */
export async function restoreArchive(options: Omit<ArchiveRestore, 'jobKinds'>): Promise<RestoredArchive> {
  return restore({ ...options, jobKinds: [...UNIT_JOB_KINDS, ...EPISODE_DERIVATIONS] });
}

/**
 * The same for the memories of a PostgreSQL database.
 * @param place `dataDir`: folder of `master.key`, where `masterKey` does not say another place
 * @throws MemoryError KEY_MISSING, INVALID_INPUT, READ_ONLY, BUSY
 */
export async function rotateStoreKeys(
  place: { readonly store: string; readonly dataDir: string },
  options: { readonly masterKey?: string; readonly to?: string } = {},
): Promise<void> {
  const { masterKey, to } = options;
  await rotateKeysOfStore(
    place.store,
    {
      folder: place.dataDir,
      masterKey: masterKey === undefined ? undefined : parseMasterKeySetting(masterKey),
    },
    to === undefined ? undefined : parseMasterKeySetting(to),
  );
}

/** A part that was passed in, or one opened from its settings. @throws MemoryError INVALID_INPUT */
async function openPart<Part extends { id: string }, Settings extends object>(
  name: string,
  given: Part | Settings | null,
  open: (settings: Settings) => Part | Promise<Part>,
): Promise<Part | null> {
  if (given === null) return null;
  // Programs in JavaScript are not checked by the compiler.
  if (typeof given !== 'object') {
    throw new MemoryError(
      'INVALID_INPUT',
      `The option ${name} of openMemory must be settings ({ provider: … }), an implementation, or null, not ${JSON.stringify(given)}.`,
    );
  }
  return 'id' in given ? given : open(given);
}
