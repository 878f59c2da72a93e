import type { Store } from '../../store.ts';
import type { Copies } from './copies.ts';
import type { Answer, Copy } from './types.ts';

type Groups = Pick<Store, 'units' | 'topics' | 'indexes'>;

/** The answer of the copy or, where it is undefined or there is no copy, of the tables. */
type Either = <T>(fromCopy: (copy: Copy) => Answer<T>, fromTables: () => Promise<T>) => Promise<T>;

/** The groups of a store, of which a recall is answered from the copy where that suffices. */
export function withCopies({ units, topics, indexes }: Groups, copies: Copies): Groups {
  const either: Either = async (fromCopy, fromTables) => {
    const copy = await copies.current();
    const found = copy ? await fromCopy(copy) : undefined;
    return found === undefined ? fromTables() : found;
  };
  return {
    units: {
      ...units,
      get: (unitIds) =>
        either(
          (copy) => copy.get?.(unitIds),
          () => units.get(unitIds),
        ),
      list: (filter, page) =>
        either(
          (copy) => copy.list?.(filter, page),
          () => units.list(filter, page),
        ),
      filter: (unitIds, filter) =>
        either(
          (copy) => copy.filter?.(unitIds, filter),
          () => units.filter(unitIds, filter),
        ),
      passages: (unitIds) =>
        either(
          (copy) => copy.passages?.(unitIds),
          () => units.passages(unitIds),
        ),
      adjacent: (unitIds, filter, reach) =>
        either(
          (copy) => copy.adjacent?.(unitIds, filter, reach),
          () => units.adjacent(unitIds, filter, reach),
        ),
    },
    topics: {
      ...topics,
      ofUnits: (unitIds) =>
        either(
          (copy) => copy.topicsOf?.(unitIds),
          () => topics.ofUnits(unitIds),
        ),
    },
    indexes: copiedIndexes(indexes, either),
  };
}

function copiedIndexes({ text, times, vectors }: Groups['indexes'], either: Either): Groups['indexes'] {
  return {
    text: {
      search: (terms, filter, limit) =>
        either(
          (copy) => copy.searchText?.(terms, filter, limit),
          () => text.search(terms, filter, limit),
        ),
      statistics: (about) =>
        either(
          (copy) => copy.statistics?.(about),
          () => text.statistics(about),
        ),
    },
    times: {
      search: (span, filter, limit) =>
        either(
          (copy) => copy.searchTimes?.(span, filter, limit),
          () => times.search(span, filter, limit),
        ),
      of: (unitIds) =>
        either(
          (copy) => copy.timesOf?.(unitIds),
          () => times.of(unitIds),
        ),
    },
    vectors: {
      ...vectors,
      model: () =>
        either(
          (copy) => copy.model?.(),
          () => vectors.model(),
        ),
      query: (vector, filter, limit) =>
        either(
          (copy) => copy.searchVectors?.(vector, filter, limit),
          () => vectors.query(vector, filter, limit),
        ),
      cosines: (vector, unitIds) =>
        either(
          (copy) => copy.cosines?.(vector, unitIds),
          () => vectors.cosines(vector, unitIds),
        ),
      get: (unitIds) =>
        either(
          (copy) => copy.unitVectors?.(unitIds),
          () => vectors.get(unitIds),
        ),
      newestWithout: (modelId, options) =>
        either(
          (copy) => copy.newestWithout?.(modelId, options),
          () => vectors.newestWithout(modelId, options),
        ),
      mean: () =>
        either(
          (copy) => copy.mean?.(),
          () => vectors.mean(),
        ),
    },
  };
}
