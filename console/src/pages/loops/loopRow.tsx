import { useMutation } from '@tanstack/react-query';
import { Check, Hourglass, X } from 'lucide-react';
import type { Input } from 'omoide/client';
import { useState } from 'react';
import { api, queryClient, type Item } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Remembered } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { showUnit, useUnitChange } from '../../unit/useUnitChange.ts';
import { useFormat, useWords } from '../../words/words.tsx';
import { LaterDialog } from './laterDialog.tsx';

export type Loop = Item<'listLoops'>;
type Change = Input<'changeLoop'>['body'];

/** Changes an open loop: shown at once, reverted when the server rejects it, with an undo button. */
function useLoopChange(loop: Loop) {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const tell = useTell();
  const { restore } = useUnitChange();
  const told = ({ payload }: Loop, { action }: Change) =>
    action === 'later' && payload.dueAt !== null
      ? w.loops.laterTold(f.dateTime(payload.dueAt))
      : { done: w.loops.doneTold, dropped: w.loops.dropTold, open: w.loops.openTold, later: '' }[action];
  return useMutation({
    mutationFn: (body: Change) => api.changeLoop({ memoryId, unitId: loop.id, body }),
    onMutate: ({ action }) => {
      if (action !== 'later') showUnit(memoryId, { ...loop, payload: { ...loop.payload, status: action } });
    },
    onSuccess: (changed, body) => {
      showUnit(memoryId, changed);
      tell.done(told(changed, body), {
        label: w.common.undo,
        run: () => restore.mutate({ unitId: loop.id, version: loop.version }),
      });
    },
    onError: (error) => {
      showUnit(memoryId, loop);
      tell.failed(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
}

export function LoopRow({ loop, onOpen }: { readonly loop: Loop; readonly onOpen: () => void }) {
  const w = useWords();
  const f = useFormat();
  const change = useLoopChange(loop);
  const [isPuttingOff, setIsPuttingOff] = useState(false);
  const { payload } = loop;
  return (
    <li className="flex items-start gap-3 border-b border-line py-3">
      <button type="button" onClick={onOpen} className="min-w-0 flex-1 text-left hover:text-accent">
        <Remembered text={payload.text} />
        <span className="text-sm text-faint">
          {payload.dueAt === null
            ? f.day(loop.occurredAt)
            : `${w.loops.due(f.dateTime(payload.dueAt))} · ${f.relative(payload.dueAt)}`}
        </span>
      </button>
      {payload.status === 'open' ? (
        <>
          <IconButton label={w.loops.done} icon={Check} onClick={() => change.mutate({ action: 'done' })} />
          <IconButton label={w.loops.later} icon={Hourglass} onClick={() => setIsPuttingOff(true)} />
          <IconButton label={w.loops.drop} icon={X} onClick={() => change.mutate({ action: 'dropped' })} />
        </>
      ) : (
        <Button look="quiet" onClick={() => change.mutate({ action: 'open' })}>
          {w.loops.reopen}
        </Button>
      )}
      {isPuttingOff && (
        <LaterDialog
          about={payload.text}
          onChoose={(until) => change.mutate({ action: 'later', until })}
          onClose={() => setIsPuttingOff(false)}
        />
      )}
    </li>
  );
}
