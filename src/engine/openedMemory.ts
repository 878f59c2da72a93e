import type { IncomingItem, IngestOptions } from '../ingest/ingest.ts';
import { MemoryError, type NewTurn } from '../model/model.ts';
import type { RememberOptions } from '../notes/notes.ts';
import { buildPack, type Pack, type PackOptions } from '../pack/pack.ts';
import type {
  AutoRecallOptions,
  Bundle,
  Exploration,
  ExploreOptions,
  ExploreQuery,
  RecallOptions,
  RecallResult,
} from '../recall/recall.ts';
import type { AddedTurn } from '../store/store.ts';
import { forget } from './forget.ts';
import { forgetPermanently, type Erased, type ForgetRequest } from './forgetting/forgetting.ts';
import { createGroups, type Groups } from './groups/groups.ts';
import { setInternals } from './internals.ts';
import type { AddReport, Forgotten, Memory, Remembered } from './memory.ts';
import type { MemoryCore } from './memoryCore.ts';
import { checkOptions } from './options.ts';
import { remember } from './remember.ts';

type Turns = Iterable<NewTurn> | AsyncIterable<NewTurn>;

/** The public methods of a memory, implemented with its parts. */
export class OpenedMemory implements Memory {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly units: Groups['units'];
  readonly conversations: Groups['conversations'];
  readonly topics: Groups['topics'];
  readonly entities: Groups['entities'];
  readonly facts: Groups['facts'];
  readonly notes: Groups['notes'];
  readonly journal: Groups['journal'];
  readonly jobs: Groups['jobs'];
  readonly admin: Groups['admin'];
  readonly #core: MemoryCore;

  constructor(core: MemoryCore) {
    this.#core = core;
    this.memoryId = core.store.memoryId;
    this.timeZone = core.store.timeZone;
    const groups = createGroups(core);
    this.units = groups.units;
    this.conversations = groups.conversations;
    this.topics = groups.topics;
    this.entities = groups.entities;
    this.facts = groups.facts;
    this.notes = groups.notes;
    this.journal = groups.journal;
    this.jobs = groups.jobs;
    this.admin = groups.admin;
    setInternals(this, core);
  }

  add(turn: NewTurn): Promise<AddedTurn>;
  add(turns: Turns, options?: IngestOptions): Promise<AddReport>;
  async add(given: NewTurn | Turns, options: IngestOptions = {}): Promise<AddedTurn | AddReport> {
    checkOptions('add', options);
    return isMany(given) ? this.#addMany(given, options) : this.#core.addTurn(given);
  }

  async #addMany(given: Turns, options: IngestOptions): Promise<AddReport> {
    const turns: AddedTurn[] = [];
    const report = await this.#core.addAll(numbered(given), {
      ...options,
      onAdded: (added) => turns.push(...added),
    });
    return { ...report, turns };
  }

  recall(utterance: string, options?: RecallOptions & { readonly view?: 'hits' }): Promise<RecallResult>;
  recall(utterance: string, options: AutoRecallOptions & { readonly view: 'bundle' }): Promise<Bundle>;
  async recall(
    utterance: string,
    { view = 'hits', ...options }: RecallOptions & { readonly view?: 'hits' | 'bundle' } = {},
  ): Promise<RecallResult | Bundle> {
    const { recall } = this.#core;
    switch (view) {
      case 'hits':
        return this.#core.inForeground(() => recall.recall(utterance, options));
      case 'bundle':
        return this.#core.inForeground(() => recall.autoRecall(utterance, options));
      default:
        throw new MemoryError('INVALID_INPUT', `view must be hits or bundle, not ${String(view)}.`);
    }
  }

  async pack(utterance: string, options?: PackOptions): Promise<Pack> {
    const { recall, parts } = this.#core;
    const { store, now } = parts;
    return this.#core.inForeground(() => buildPack({ store, now, recall }, utterance, options));
  }

  async remember(text: string, options: RememberOptions = {}): Promise<Remembered> {
    checkOptions('remember', options);
    return remember(this.#core, text, options);
  }

  forget(unitId: number, options?: { readonly item?: string }): Promise<Forgotten>;
  forget(request: ForgetRequest): Promise<Erased>;
  async forget(
    what: number | ForgetRequest,
    options: { readonly item?: string } = {},
  ): Promise<Forgotten | Erased> {
    checkOptions('forget', options);
    return typeof what === 'number' ? forget(this.#core, what, options) : this.#forgetPermanently(what);
  }

  #forgetPermanently(request: ForgetRequest): Promise<Erased> {
    const { store, now, checkpoints, organize } = this.#core.parts;
    const onErased = () => {
      this.#core.dropCaches();
      this.#core.wake();
    };
    const { nameTopic } = organize;
    const parts = { store, now, key: checkpoints.key, nameTopic, onErased };
    return this.#core.withoutLearning(() => forgetPermanently(parts, request));
  }

  async explore(query: ExploreQuery, options?: ExploreOptions): Promise<Exploration> {
    return this.#core.inForeground(() => this.#core.recall.explore(query, options));
  }

  async close(): Promise<void> {
    await this.#core.close();
  }
}

function isMany(given: NewTurn | Turns): given is Turns {
  return Symbol.iterator in given || Symbol.asyncIterator in given;
}

async function* numbered(turns: Turns): AsyncGenerator<IncomingItem> {
  let count = 0;
  for await (const turn of turns) yield { type: 'turn', turn, place: `turn ${(count += 1)}` };
}
