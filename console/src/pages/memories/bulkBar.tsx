import { useMutation } from '@tanstack/react-query';
import { Archive, EyeOff, Pin, X, type LucideIcon } from 'lucide-react';
import { api, queryClient } from '../../api/api.ts';
import type { Unit } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { ForgetButton } from '../../forget/forgetButton.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useWords } from '../../words/words.tsx';

type Change = { pinned: true } | { sensitivity: 'secret' } | { state: 'archived' };

/** Actions on several units at once, with one undo. */
export function BulkBar({ units, onEnd }: { readonly units: readonly Unit[]; readonly onEnd: () => void }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const undo = async () => {
    for (const { id, version } of units)
      await api.restoreUnit({ memoryId, unitId: id, body: { version } }).catch(tell.failed);
  };
  const change = useMutation({
    mutationFn: async (body: Change) => {
      for (const { id, version } of units)
        await api.changeUnit({ memoryId, unitId: id, body: { ...body, expectedVersion: version } });
    },
    onSuccess: () => {
      tell.done(w.memories.changed(units.length), { label: w.common.undo, run: () => void undo() });
      onEnd();
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  const actions: readonly (readonly [string, LucideIcon, Change])[] = [
    [w.unit.pin, Pin, { pinned: true }],
    [w.unit.never, EyeOff, { sensitivity: 'secret' }],
    [w.unit.archive, Archive, { state: 'archived' }],
  ];
  // A note is a file: it is edited, not forgotten.
  const forgettable = units.filter(({ kind }) => kind !== 'note').map(({ id }) => id);
  return (
    <div className="sticky bottom-4 z-10 mx-auto mt-4 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-2xl border border-line bg-card px-4 py-2 shadow-float">
      <span className="text-sm text-soft">{w.memories.chosen(units.length)}</span>
      {actions.map(([label, icon, body]) => (
        <Button
          key={label}
          look="quiet"
          icon={icon}
          disabled={change.isPending}
          onClick={() => change.mutate(body)}
        >
          {label}
        </Button>
      ))}
      {forgettable.length > 0 && (
        <ForgetButton
          request={{ units: forgettable }}
          name={w.memories.some(forgettable.length)}
          onForgotten={onEnd}
        />
      )}
      <IconButton label={w.common.cancel} icon={X} onClick={onEnd} />
      {forgettable.length < units.length && (
        <p className="w-full text-sm text-soft">{w.memories.notesStay}</p>
      )}
    </div>
  );
}
