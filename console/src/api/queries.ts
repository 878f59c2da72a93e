/** Queries that several pages share, each with one key. Keys begin with the memory id. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Input } from 'omoide/client';
import { api, type Answer } from './api.ts';

export const memoriesQuery = queryOptions({
  queryKey: ['server', 'memories'],
  queryFn: ({ signal }) => api.listMemories({}, { signal }),
});
export const healthQuery = queryOptions({
  queryKey: ['server', 'health'],
  queryFn: ({ signal }) => api.health({}, { signal }),
});

export const statsQuery = (memoryId: string) =>
  queryOptions({
    queryKey: [memoryId, 'stats'],
    queryFn: ({ signal }) => api.readStats({ memoryId }, { signal }),
  });

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** A list that is loaded page by page on scrolling. */
export function listQuery<One>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<One>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export type UnitQuery = NonNullable<Input<'listUnits'>['query']>;
export type Unit = Answer<'readUnit'>;

export const unitsQuery = (memoryId: string, query: UnitQuery) =>
  listQuery([memoryId, 'units', query], (cursor, signal) =>
    api.listUnits({ memoryId, query: { ...query, ...(cursor !== undefined && { cursor }) } }, { signal }),
  );

export const unitQuery = (memoryId: string, unitId: number) =>
  queryOptions({
    queryKey: [memoryId, 'unit', unitId],
    queryFn: ({ signal }) => api.readUnit({ memoryId, unitId }, { signal }),
  });

/** What happens to personal data that is added to a memory. */
export const policyQuery = (memoryId: string) =>
  queryOptions({
    queryKey: [memoryId, 'sensitive policy'],
    queryFn: ({ signal }) => api.readSensitivePolicy({ memoryId }, { signal }),
  });
