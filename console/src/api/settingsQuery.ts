import { queryOptions, useMutation } from '@tanstack/react-query';
import type { Input } from 'omoide/client';
import { useTell } from '../ui/toast.tsx';
import { api, queryClient, type Answer } from './api.ts';

export type Settings = Answer<'readSettings'>;
type Patch = Input<'changeSettings'>['body'];

export const settingsQuery = queryOptions({
  queryKey: ['server', 'settings'],
  queryFn: ({ signal }) => api.readSettings({}, { signal }),
});

/** Changes the settings and shows a message. */
export function useSettingsChange(told: string, onDone?: () => void) {
  const tell = useTell();
  return useMutation({
    mutationFn: (body: Patch) => api.changeSettings({ body }),
    onSuccess: (settings) => {
      queryClient.setQueryData(settingsQuery.queryKey, settings);
      tell.done(told);
      onDone?.();
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['server'] }),
  });
}
