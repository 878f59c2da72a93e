/** Changes of one unit: shown at once, reverted when the server rejects them, with an undo button. */
import { useMutation } from '@tanstack/react-query';
import type { Input } from 'omoide/client';
import { api, queryClient } from '../api/api.ts';
import type { Unit } from '../api/queries.ts';
import { useMemoryId } from '../app/memory.ts';
import { useTell } from '../ui/toast.tsx';
import { useWords } from '../words/words.tsx';

type Change = Input<'changeUnit'>['body'];
interface Page {
  readonly items: readonly Unit[];
}

/** Replaces the unit in every cached list and page. */
export function showUnit(memoryId: string, unit: Unit): void {
  queryClient.setQueryData([memoryId, 'unit', unit.id], unit);
  for (const key of ['units', 'facts', 'loops'])
    queryClient.setQueriesData<{ pages: readonly Page[] }>(
      { queryKey: [memoryId, key] },
      (data) =>
        data && {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            items: page.items.map((one) => (one.id === unit.id ? unit : one)),
          })),
        },
    );
}

export function useUnitChange() {
  const memoryId = useMemoryId();
  const tell = useTell();
  const w = useWords();
  const restore = useMutation({
    mutationFn: ({ unitId, version }: { unitId: number; version: number }) =>
      api.restoreUnit({ memoryId, unitId, body: { version } }),
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  const change = useMutation({
    mutationFn: ({ unit, body }: { unit: Unit; body: Change; told: string }) =>
      api.changeUnit({ memoryId, unitId: unit.id, body: { ...body, expectedVersion: unit.version } }),
    onMutate: ({ unit, body }) => {
      const { content, notes: _, reason: __, ...common } = body;
      showUnit(memoryId, { ...unit, ...common, ...(content && { payload: content.payload }) } as Unit);
    },
    onSuccess: (unit, { told, unit: before }) => {
      showUnit(memoryId, unit);
      tell.done(told, {
        label: w.common.undo,
        run: () => restore.mutate({ unitId: unit.id, version: before.version }),
      });
    },
    onError: (error, { unit }) => {
      showUnit(memoryId, unit);
      tell.failed(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return { change, restore };
}
