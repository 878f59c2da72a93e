/** A simple store of arrays and Maps, as a reference for the others. Nothing is written to disk. */
import {
  KINDS,
  MemoryError,
  unitText,
  type Instant,
  type Turn,
  type Unit,
  type UnitCommon,
  type UnitVersion,
} from '../../src/model/model.ts';
import type {
  AddedTurn,
  Adjacent,
  ConversationInfo,
  DerivationResult,
  Neighbours,
  Passage,
  RebuildPlan,
  ScoredId,
  SpeakerHabits,
  StoreInfo,
  TurnDraft,
  UnitChange,
  UnitFilter,
  UnitPage,
} from '../../src/store/store.ts';
import { documentTerms, documentTimes, type Span } from '../../src/text/text.ts';
import { ModelEntityTable, setMentions } from './entities.ts';
import { addJob, episodeJob, ModelJobTable } from './jobs.ts';
import { bestFirst, passes, type ModelledStore, type State } from './state.ts';
import { ModelVectorIndex, removeVectors } from './vectors.ts';

export class ModelStore implements ModelledStore {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly jobs: ModelJobTable;
  readonly entities: ModelEntityTable;
  readonly copiedBytes = 0;
  readonly copiedArrayBytes = 0;
  readonly isReadOnly = false;
  readonly rawTurns = null;
  readonly evidence: ModelledStore['evidence'] = {
    append: async (drafts) => this.#transact((state) => drafts.map((draft) => this.#append(state, draft))),
    get: async (ids) => this.#getTurns(ids),
    page: async (page) => this.#readTurns(page),
    recent: async (conversationId, limit, before) => this.#recentTurns(conversationId, limit, before),
    conversations: async (page) => this.#listConversations(page),
  };
  readonly units: ModelledStore['units'] = {
    save: async (changes, jobKinds) => this.#saveUnits(changes, jobKinds),
    get: async (ids) => this.#getUnits(ids),
    list: async (filter, page) => this.#listUnits(filter, page),
    feelings: async (filter, page) =>
      this.#listUnits(filter, page).map(({ id, occurredAt, salience, emotion }) => ({
        unitId: id,
        occurredAt,
        salience,
        emotion,
      })),
    filter: async (ids, filter) => this.#filterUnits(ids, filter),
    passages: async (ids) => this.#getPassages(ids),
    versions: async (unitId) => this.#versions(this.#state, unitId),
    countAccess: async (ids, at) => this.#countAccess(ids, at),
    link: async (from, to, relation) => this.#link(from, to, relation),
    neighbours: async (ids, reach) => this.#neighbours(ids, reach),
    adjacent: async (ids, filter, reach) => this.#adjacent(ids, filter, reach),
    applyDerivation: async (result) => this.#applyDerivation(result),
    isDerived: async (mark) => this.#state.marks.has(JSON.stringify(mark)),
  };
  readonly indexes: ModelledStore['indexes'];
  readonly admin: ModelledStore['admin'] = {
    info: async () => this.#info(),
    verify: async () => this.#verify(),
    rebuild: async (what, plan) => this.#rebuild(what, plan),
  };
  readonly #now: () => Instant;
  #state: State = {
    turns: [],
    units: [],
    versions: [],
    said: new Map(),
    links: [],
    jobs: [],
    lastJobId: 0,
    entities: [],
    lastEntityId: 0,
    mentions: [],
    relations: [],
    marks: new Set(),
    vectors: null,
    next: null,
  };

  constructor(options: { memoryId: string; timeZone: string; now: () => Instant }) {
    this.memoryId = options.memoryId;
    this.timeZone = options.timeZone;
    this.#now = options.now;
    const transact = <T>(body: (state: State) => T) => this.#transact(body);
    this.jobs = new ModelJobTable(transact);
    this.indexes = {
      text: {
        search: async (terms, filter, limit) => this.#searchText(terms, filter, limit),
        statistics: async (about) => this.#statistics(about),
      },
      times: {
        search: async (span, filter, limit) => this.#searchTimes(span, filter, limit),
        of: async (ids) => this.#timesOf(ids),
      },
      vectors: new ModelVectorIndex(transact),
    };
    this.entities = new ModelEntityTable(transact, (state, change) => this.#save(state, change));
  }

  /** An error leaves the state unchanged. */
  #transact<T>(body: (state: State) => T): T {
    const before = structuredClone(this.#state);
    try {
      return body(this.#state);
    } catch (error) {
      this.#state = before;
      throw error;
    }
  }

  #append(state: State, draft: TurnDraft): AddedTurn {
    const conversation = state.turns.filter((turn) => turn.conversationId === draft.conversationId);
    const turnIndex = draft.turnIndex ?? Math.max(-1, ...conversation.map((turn) => turn.turnIndex)) + 1;
    const existing = conversation.find((turn) => turn.turnIndex === turnIndex);
    if (existing) {
      if (existing.text !== draft.text || existing.speaker !== draft.speaker)
        throw new MemoryError('TURN_CONFLICT');
      const unit = state.units.find((unit) => unit.kind === 'episode' && unit.payload.turnId === existing.id);
      return { turnId: existing.id, unitId: unit?.id ?? 0, turnIndex, isNew: false };
    }
    const { conversationId, speaker, text, occurredAt, meta } = draft;
    const hashes = { contentHash: '', chainHash: '', rawPointer: null };
    const turn = {
      id: state.turns.length + 1,
      conversationId,
      turnIndex,
      speaker,
      text,
      occurredAt,
      meta,
      salt: '',
      isForgotten: false,
      ...hashes,
    };
    state.turns.push(turn);
    const unit: Unit = {
      ...newUnitFields(state.units.length + 1, occurredAt, this.#now()),
      source: draft.source,
      sensitivity: draft.sensitivity,
      scope: draft.scope,
      kind: 'episode',
      payload: {
        turnId: turn.id,
        conversationId,
        turnIndex,
        speaker,
        text,
        imageSummary: draft.imageSummary,
        contextNote: null,
        reflection: null,
      },
    };
    state.units.push(unit);
    state.said.set(unit.id, unit);
    for (const kind of draft.jobKinds) addJob(state, episodeJob(kind, unit), this.#now());
    return { turnId: turn.id, unitId: unit.id, turnIndex, isNew: true };
  }

  #getTurns(ids: readonly number[]): Turn[] {
    return ids.flatMap((id) => this.#state.turns.find((turn) => turn.id === id) ?? []);
  }

  #readTurns(page: { afterId: number; limit: number; conversationId?: string }): Turn[] {
    return this.#state.turns
      .filter((turn) => turn.id > page.afterId)
      .filter((turn) => page.conversationId === undefined || turn.conversationId === page.conversationId)
      .slice(0, page.limit);
  }

  #recentTurns(conversationId: string, limit: number, before = Infinity): Turn[] {
    const turns = this.#state.turns
      .filter((turn) => turn.conversationId === conversationId && turn.turnIndex < before)
      .sort((a, b) => a.turnIndex - b.turnIndex);
    return turns.slice(Math.max(0, turns.length - limit));
  }

  #listConversations(page: { limit: number; offset?: number }): ConversationInfo[] {
    const offset = page.offset ?? 0;
    return [...Map.groupBy(this.#state.turns, (turn) => turn.conversationId)]
      .map(([conversationId, turns]) => {
        const times = turns.map((turn) => turn.occurredAt);
        const [firstTurnAt, lastTurnAt] = [Math.min(...times), Math.max(...times)];
        return { conversationId, turns: turns.length, firstTurnAt, lastTurnAt };
      })
      .sort((a, b) => b.lastTurnAt - a.lastTurnAt || (a.conversationId < b.conversationId ? -1 : 1))
      .slice(offset, offset + page.limit);
  }

  #saveUnits(changes: readonly UnitChange[], jobKinds: readonly string[] = []): Unit[] {
    return this.#transact((state) =>
      changes.map((change) => {
        const unit = this.#save(state, change);
        for (const kind of jobKinds) addJob(state, episodeJob(kind, unit), this.#now());
        return unit;
      }),
    );
  }

  #applyDerivation(result: DerivationResult): { applied: boolean; units: Unit[] } {
    const { mark, changes, mentions, relations = [], unitJobKinds = [], jobs = [] } = result;
    return this.#transact((state) => {
      if (state.marks.has(JSON.stringify(mark))) return { applied: false, units: [] };
      if (!state.units[mark.unitId - 1]) throw new MemoryError('NOT_FOUND');
      const saved = changes.map((change) => {
        const before = change.type === 'add' ? undefined : textOf(state.units[change.unitId - 1]);
        const unit = this.#save(state, change);
        return { unit, isReworded: before !== unitText(unit) };
      });
      if (mentions) setMentions(state, mark.unitId, mentions, relations);
      state.marks.add(JSON.stringify(mark));
      const reworded = saved.filter(({ isReworded }) => isReworded);
      const unitJobs = reworded.flatMap(({ unit }) => unitJobKinds.map((kind) => episodeJob(kind, unit)));
      for (const job of [...unitJobs, ...jobs]) addJob(state, job, this.#now());
      return { applied: true, units: saved.map(({ unit }) => unit) };
    });
  }

  #save(state: State, change: UnitChange): Unit {
    const now = this.#now();
    if (change.type === 'add') {
      const { content, occurredAt = now, ...rest } = change.unit;
      const unit = { ...newUnitFields(state.units.length + 1, occurredAt, now), ...rest, ...content } as Unit;
      return this.#keep(state, unit, { parentVersion: null, reason: change.reason });
    }
    const before = state.units.find((unit) => unit.id === change.unitId);
    if (!before) throw new MemoryError('NOT_FOUND');
    if ((change.expectedVersion ?? before.version) !== before.version)
      throw new MemoryError('VERSION_CONFLICT');
    const { accessCount, lastAccessedAt } = before;
    const always = { accessCount, lastAccessedAt, updatedAt: now, version: before.version + 1 };
    if (change.type === 'restore') {
      const then = this.#versions(state, before.id).find((version) => version.version === change.version);
      if (!then) throw new MemoryError('NOT_FOUND');
      const unit = { ...then.snapshot, ...always };
      return this.#keep(state, unit, { parentVersion: then.version, reason: change.reason });
    }
    const { content, notes, ...set } = change.set;
    if (content && content.kind !== before.kind) throw new MemoryError('INVALID_INPUT');
    if (notes && before.kind !== 'episode') throw new MemoryError('INVALID_INPUT');
    const payload = { ...(content?.payload ?? before.payload), ...notes };
    const unit = { ...before, ...set, ...always, payload } as Unit;
    return this.#keep(state, unit, { parentVersion: before.version, reason: change.reason });
  }

  #keep(state: State, unit: Unit, version: { parentVersion: number | null; reason: string }): Unit {
    const before = state.units[unit.id - 1];
    state.units[unit.id - 1] = unit;
    if (textOf(before) !== unitText(unit)) {
      if (before) removeVectors(state, unit.id);
    }
    const { id: unitId, updatedAt: at } = unit;
    const snapshot = structuredClone(unit);
    state.versions.push({ unitId, version: unit.version, ...version, payloadHash: '', at, snapshot });
    return unit;
  }

  #getUnits(ids: readonly number[]): Unit[] {
    return ids.flatMap((id) => this.#state.units[id - 1] ?? []);
  }

  #getPassages(ids: readonly number[]): Passage[] {
    return this.#getUnits(ids).map((unit) => {
      const { id: unitId, kind } = unit;
      const isEdited = unit.kind === 'note' && unit.version > 1 && unit.payload.memoryType !== 'journal';
      const occurredAt = isEdited ? unit.updatedAt : unit.occurredAt;
      const { conversationId, turnIndex, speaker } =
        unit.kind === 'episode' ? unit.payload : { conversationId: null, turnIndex: null, speaker: null };
      const predicate = unit.kind === 'fact' ? unit.payload.predicate : null;
      const place = { conversationId, turnIndex };
      return { unitId, kind, text: unitText(unit), occurredAt, ...place, speaker, predicate };
    });
  }

  #listUnits(filter: UnitFilter, page: UnitPage): Unit[] {
    const { limit, offset = 0, after, oldestFirst = false } = page;
    const isBeyond = (unit: Unit, { occurredAt, unitId }: NonNullable<UnitPage['after']>) =>
      (unit.occurredAt - occurredAt || unit.id - unitId) * (oldestFirst ? 1 : -1) > 0;
    const units = this.#newestFirst(filter);
    return (oldestFirst ? units.reverse() : units)
      .filter((unit) => after === undefined || isBeyond(unit, after))
      .slice(offset, offset + limit);
  }

  #newestFirst(filter: UnitFilter): Unit[] {
    return this.#state.units
      .filter((unit) => passes(this.#state, unit, filter))
      .sort((a, b) => b.occurredAt - a.occurredAt || b.id - a.id);
  }

  #filterUnits(unitIds: readonly number[], filter: UnitFilter): number[] {
    return this.#getUnits(unitIds)
      .filter((unit) => passes(this.#state, unit, filter))
      .map((unit) => unit.id);
  }

  #versions(state: State, unitId: number): UnitVersion[] {
    const kept = state.versions.filter((version) => version.unitId === unitId);
    const unit = state.units[unitId - 1];
    return unit?.kind === 'episode' ? [this.#firstVersion(state, unit), ...kept] : kept;
  }

  #firstVersion(state: State, { id: unitId, createdAt: at }: Unit): UnitVersion {
    const snapshot = structuredClone(state.said.get(unitId)) as unknown as UnitVersion['snapshot'];
    return { unitId, version: 1, parentVersion: null, reason: 'ingested', payloadHash: '', at, snapshot };
  }

  #countAccess(unitIds: readonly number[], at: Instant): void {
    for (const unit of this.#getUnits(unitIds)) {
      this.#state.units[unit.id - 1] = { ...unit, accessCount: unit.accessCount + 1, lastAccessedAt: at };
    }
  }

  #link(from: number, to: number, relation: string): void {
    const { units, links } = this.#state;
    if (!units[from - 1] || !units[to - 1]) throw new MemoryError('NOT_FOUND');
    if (!links.some((link) => link.from === from && link.to === to && link.relation === relation)) {
      links.push({ from, to, relation });
    }
  }

  #neighbours(unitIds: readonly number[], reach: { before: number; after: number }): Neighbours[] {
    return this.#getUnits(unitIds).map((unit) => {
      const around = this.#state.units
        .flatMap((other) => (other.kind === 'episode' ? other : []))
        .filter(
          (other) => unit.kind === 'episode' && other.payload.conversationId === unit.payload.conversationId,
        )
        .sort((a, b) => a.payload.turnIndex - b.payload.turnIndex);
      const ids = around.map((other) => other.id);
      const at = ids.indexOf(unit.id);
      const before = at < 0 ? [] : ids.slice(Math.max(0, at - reach.before), at);
      const after = at < 0 ? [] : ids.slice(at + 1, at + 1 + reach.after);
      return { unitId: unit.id, before, after, linked: this.#linked(unit.id) };
    });
  }

  #adjacent(unitIds: readonly number[], filter: UnitFilter, reach: number): Adjacent[] {
    const passing = (ids: readonly number[]) => {
      const end = ids.findIndex((id) => this.#filterUnits([id], filter).length === 0);
      return ids.slice(0, end < 0 ? ids.length : end);
    };
    return this.#neighbours(unitIds, { before: reach, after: reach }).map(({ unitId, before, after }) => ({
      unitId,
      before: passing(before.toReversed()),
      after: passing(after),
    }));
  }

  #linked(unitId: number): Neighbours['linked'] {
    const linked = this.#state.links.flatMap(({ from, to, relation }) => [
      ...(from === unitId ? [{ unitId: to, relation }] : []),
      ...(to === unitId && from !== unitId ? [{ unitId: from, relation }] : []),
    ]);
    const byKey = new Map(linked.map((link) => [`${link.unitId} ${link.relation}`, link]));
    return [...byKey.values()].sort((a, b) => a.unitId - b.unitId || (a.relation < b.relation ? -1 : 1));
  }

  #terms(unit: Unit): readonly string[] {
    return documentTerms(unit, this.timeZone).terms;
  }

  /** BM25, k1 = 1.2, b = 0.75, over all units. (Robertson, Zaragoza 2009) */
  #searchText(terms: readonly string[], filter: UnitFilter, limit: number): ScoredId[] {
    const documents = this.#state.units.map((unit) => this.#terms(unit));
    const averageLength = documents.flat().length / Math.max(1, documents.length);
    const known = new Set(terms.filter((term) => documents.some((document) => document.includes(term))));
    const weights = [...known].map((term) => {
      const n = documents.filter((document) => document.includes(term)).length;
      return { term, idf: Math.max(1e-6, Math.log((documents.length - n + 0.5) / (n + 0.5))) };
    });
    const scoreOf = (document: readonly string[]) =>
      weights.reduce((sum, { term, idf }) => {
        const f = document.filter((other) => other === term).length;
        return sum + (idf * f * 2.2) / (f + 1.2 * (0.25 + (0.75 * document.length) / averageLength));
      }, 0);
    return this.#state.units
      .map((unit, i) => ({ unit, unitId: unit.id, score: scoreOf(documents[i] ?? []) }))
      .filter(({ unit, score }) => score > 0 && passes(this.#state, unit, filter))
      .map(({ unitId, score }) => ({ unitId, score }))
      .sort(bestFirst)
      .slice(0, limit);
  }

  #searchTimes(span: Span, filter: UnitFilter, limit: number): number[] {
    return this.#newestFirst(filter)
      .filter((unit) =>
        documentTimes(unit, this.timeZone).some(({ from, to }) => from < span.to && to > span.from),
      )
      .map((unit) => unit.id)
      .slice(0, limit);
  }

  #timesOf(unitIds: readonly number[]): Map<number, Span[]> {
    const units = this.#getUnits(unitIds);
    const times = units.map((unit): [number, Span[]] => [
      unit.id,
      documentTimes(unit, this.timeZone).sort((a, b) => a.from - b.from || a.to - b.to),
    ]);
    return new Map(times.filter(([, spans]) => spans.length > 0));
  }

  #statistics(about: { terms: readonly string[]; speakers: readonly string[] }) {
    const documents = this.#state.units.map((unit) => this.#terms(unit));
    const habits = (isMeant: (speaker: string) => boolean): SpeakerHabits => {
      const said = this.#state.units.filter(
        (unit) => unit.kind === 'episode' && isMeant(unit.payload.speaker),
      );
      const words = said.map((unit) => documentTerms(unit, this.timeZone));
      return {
        turns: said.length,
        terms: words.reduce((sum, { ownTerms }) => sum + ownTerms, 0),
        questions: words.filter(({ asks }) => asks).length,
      };
    };
    const frequencies = about.terms.map((term): [string, number] => [
      term,
      documents.filter((document) => document.includes(term)).length,
    ]);
    const speakers = about.speakers.map((name): [string, SpeakerHabits] => [
      name,
      habits((other) => other === name),
    ]);
    return {
      documents: documents.length,
      averageLength: documents.length === 0 ? 0 : documents.flat().length / documents.length,
      documentFrequency: new Map(frequencies.filter(([, n]) => n > 0)),
      speakers: new Map(speakers.filter(([, { turns }]) => turns > 0)),
      everyone: habits(() => true),
    };
  }

  #verify() {
    return {
      forgotten: 0,
      turns: this.#state.turns.length,
      units: this.#state.units.length,
      chainHead: '',
      checkpoints: 0,
      firstBadTurn: null,
      problems: [],
    };
  }

  #rebuild(_what: 'indexes' | 'units', plan: RebuildPlan) {
    const state = this.#state;
    if (plan.dropVectors) Object.assign(state, { vectors: null, next: null });
    const { next } = state;
    for (const id of next?.done ?? []) if (!next?.byUnit.has(id)) next?.done.delete(id);
    next?.stale.clear();
    let jobsEnqueued = 0;
    for (const unit of state.units) {
      const kinds = plan.jobKinds.filter((kind) => kind !== 'embed' || !state.vectors?.byUnit.has(unit.id));
      for (const kind of kinds) if (addJob(state, episodeJob(kind, unit), plan.now)) jobsEnqueued += 1;
    }
    return { unitsIndexed: state.units.length, episodesRestored: 0, episodesRemoved: 0, jobsEnqueued };
  }

  async #info(): Promise<StoreInfo> {
    const { turns, units } = this.#state;
    const counts = KINDS.map((kind) => [kind, units.filter((unit) => unit.kind === kind).length]);
    const times = turns.map((turn) => turn.occurredAt);
    return {
      memoryId: this.memoryId,
      location: '',
      schemaVersion: 0,
      timeZone: this.timeZone,
      turns: turns.length,
      conversations: new Set(turns.map((turn) => turn.conversationId)).size,
      units: Object.fromEntries(counts) as StoreInfo['units'],
      topics: 0,
      vectorModel: await this.indexes.vectors.model(),
      jobs: await this.jobs.count(),
      sizeBytes: 0,
      firstTurnAt: turns.length === 0 ? null : Math.min(...times),
      lastTurnAt: turns.length === 0 ? null : Math.max(...times),
    };
  }

  async together<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async exclusively<T>(_name: string, body: () => Promise<T>): Promise<T> {
    return body();
  }

  async close(): Promise<void> {}
}

function textOf(unit: Unit | undefined): string | undefined {
  return unit && unitText(unit);
}

function newUnitFields(
  id: number,
  occurredAt: Instant,
  now: Instant,
): Omit<UnitCommon, 'source' | 'sensitivity' | 'scope'> {
  return {
    id,
    occurredAt,
    createdAt: now,
    updatedAt: now,
    state: 'raw',
    confidence: 1,
    salience: 0.5,
    pinned: false,
    topicTags: [],
    expiresAt: null,
    reinforcement: 0,
    accessCount: 0,
    lastAccessedAt: null,
    emotion: null,
    version: 1,
  };
}
