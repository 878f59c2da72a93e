/**
 * A LangGraph store on an Omoide memory: items are facts whose subject is the namespace, whose predicate is the key
 * and whose object is the value as JSON. They are recalled like other memories. Copy this file into your project.
 */
import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import type { Memory } from 'omoide';

/** The `source` of facts that are items. */
const SOURCE = 'langgraph';
const PAGE = 100;
/** A search requests this many times the limit, because the filter removes results. */
const REACH = 10;
const MAX_FOUND = 1_000;

type Fact = Extract<Awaited<ReturnType<Memory['units']['list']>>[number], { kind: 'fact' }>;
type Value = Item['value'];

/** Only one process at a time may write through it: the list of items is read once. */
export class OmoideStore extends BaseStore {
  readonly #memory: Pick<Memory, 'units' | 'recall' | 'forget'>;
  /** The unit of each item, by namespace and key. */
  #places: Promise<Map<string, number>> | null = null;

  constructor(memory: Pick<Memory, 'units' | 'recall' | 'forget'>) {
    super();
    this.#memory = memory;
  }

  /** Operations run in order: a `get` after a `put` returns the new item. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    for (const operation of operations) results.push(await this.#run(operation));
    return results as OperationResults<Op>;
  }

  async #run(operation: Operation): Promise<unknown> {
    if ('value' in operation) return this.#put(operation);
    if ('namespacePrefix' in operation) return this.#search(operation);
    if ('key' in operation) return this.#get(operation.namespace, operation.key);
    return this.#listNamespaces(operation);
  }

  async #get(namespace: readonly string[], key: string): Promise<Item | null> {
    const unitId = (await this.#read()).get(placeOf(namespace, key));
    const [unit] = unitId === undefined ? [] : await this.#memory.units.get([unitId]);
    return unit?.kind === 'fact' ? toItem(unit) : null;
  }

  async #put({ namespace, key, value, index }: PutOperation): Promise<void> {
    const places = await this.#read();
    const place = placeOf(namespace, key);
    const unitId = places.get(place);
    if (value === null) {
      if (unitId === undefined) return;
      await this.#memory.forget({ unit: unitId });
      places.delete(place);
      return;
    }
    const payload = {
      subject: JSON.stringify(namespace),
      predicate: key,
      object: JSON.stringify(value),
      objectEntityId: null,
      validFrom: null,
      validTo: null,
      evidence: [],
    };
    const content = { kind: 'fact' as const, payload };
    if (unitId !== undefined) {
      await this.#memory.units.update({ unitId, set: { content }, reason: 'put' });
      return;
    }
    // Items without index are secret units, which are recalled only on request.
    const sensitivity = index === false ? 'secret' : 'normal';
    const unit = await this.#memory.units.add({ source: SOURCE, sensitivity, content });
    places.set(place, unit.id);
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { query, limit = 10, offset = 0, namespacePrefix, filter = {} } = operation;
    const found = query === undefined ? await this.#all() : await this.#recall(query, limit + offset);
    return found
      .filter(
        ({ namespace, value }) =>
          namespacePrefix.every((step, i) => namespace[i] === step) && passes(value, filter),
      )
      .slice(offset, offset + limit);
  }

  /** All items, newest first. */
  async #all(): Promise<SearchItem[]> {
    const ids = [...(await this.#read()).values()];
    return (await this.#memory.units.get(ids))
      .flatMap((unit) => (unit.kind === 'fact' ? toItem(unit) : []))
      .reverse();
  }

  async #recall(query: string, count: number): Promise<SearchItem[]> {
    const limit = Math.min(count * REACH, MAX_FOUND);
    const { hits } = await this.#memory.recall(query, { kinds: ['fact'], limit });
    const scores = new Map(hits.map(({ unitId, score }) => [unitId, score]));
    const units = await this.#memory.units.get([...scores.keys()]);
    return units.flatMap((unit) =>
      unit.kind === 'fact' && unit.source === SOURCE
        ? { ...toItem(unit), score: scores.get(unit.id) ?? 0 }
        : [],
    );
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth = Infinity, limit, offset } = operation;
    const all = [...(await this.#read()).keys()].map((place) => JSON.parse(place) as [string[], string]);
    const wanted = all
      .map(([namespace]) => namespace)
      .filter((namespace) =>
        matchConditions.every(({ matchType, path }) => {
          const part =
            matchType === 'prefix' ? namespace.slice(0, path.length) : namespace.slice(-path.length);
          return part.length === path.length && path.every((step, i) => step === '*' || step === part[i]);
        }),
      )
      .map((namespace) => JSON.stringify(namespace.slice(0, maxDepth)));
    const distinct = [...new Set(wanted)].sort().map((namespace) => JSON.parse(namespace) as string[]);
    return distinct.slice(offset, offset + limit);
  }

  #read(): Promise<Map<string, number>> {
    this.#places ??= this.#readPlaces();
    return this.#places;
  }

  async #readPlaces(): Promise<Map<string, number>> {
    const facts: Fact[] = [];
    const filter = { kinds: ['fact'], source: SOURCE, maxSensitivity: 'secret' } as const;
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.#memory.units.list(filter, { limit: PAGE, offset });
      facts.push(...page.filter((unit) => unit.kind === 'fact'));
      if (page.length < PAGE) break;
    }
    return new Map(
      facts
        .reverse()
        .map(({ id, payload }) => [`[${payload.subject},${JSON.stringify(payload.predicate)}]`, id]),
    );
  }
}

function placeOf(namespace: readonly string[], key: string): string {
  return JSON.stringify([namespace, key]);
}

function toItem({ payload, createdAt, updatedAt }: Fact): Item {
  return {
    namespace: JSON.parse(payload.subject) as string[],
    key: payload.predicate,
    value: JSON.parse(payload.object) as Value,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

const COMPARE: Readonly<Record<string, (value: unknown, other: unknown) => boolean>> = {
  $eq: (value, other) => JSON.stringify(value) === JSON.stringify(other),
  $ne: (value, other) => JSON.stringify(value) !== JSON.stringify(other),
  $gt: (value, other) => Number(value) > Number(other),
  $gte: (value, other) => Number(value) >= Number(other),
  $lt: (value, other) => Number(value) < Number(other),
  $lte: (value, other) => Number(value) <= Number(other),
};

function passes(value: Value, filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const isObject = typeof wanted === 'object' && wanted !== null;
    const conditions = isObject ? Object.entries(wanted).filter(([name]) => name in COMPARE) : [];
    if (conditions.length === 0) return COMPARE['$eq']?.(value[field], wanted) === true;
    return conditions.every(([name, other]) => COMPARE[name]?.(value[field], other) === true);
  });
}
