import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, queryClient } from '../../api/api.ts';
import { unitsQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Remembered, When } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { unitText } from '../../unit/unitText.ts';
import { useWords } from '../../words/words.tsx';
import type { Entity } from './people.tsx';

interface SplitDialogProps {
  readonly entity: Entity;
  readonly onSplit: (entityId: number) => void;
  readonly onClose: () => void;
}

const SHOWN = 100;

/** Splits an entity in two: the user chooses the mentions of the other one. */
export function SplitDialog({ entity, onSplit, onClose }: SplitDialogProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const query = useInfiniteQuery(unitsQuery(memoryId, { entityId: entity.id, limit: SHOWN }));
  const toggle = (unitId: number) => {
    const next = new Set(chosen);
    if (!next.delete(unitId)) next.add(unitId);
    setChosen(next);
  };
  const split = useMutation({
    mutationFn: () =>
      api.splitEntity({ memoryId, entityId: entity.id, body: { unitIds: [...chosen], name: name.trim() } }),
    onSuccess: (made) => {
      tell.done(w.people.splitDone);
      onClose();
      onSplit(made.id);
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <Confirm
      title={w.people.splitTitle(entity.name)}
      about={w.people.splitAbout}
      doLabel={w.people.splitDo(chosen.size)}
      isReady={name.trim() !== '' && chosen.size > 0 && !split.isPending}
      onDo={() => split.mutate()}
      onClose={onClose}
    >
      <Field label={w.people.splitNew}>
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <div className="mt-4">
        <Loaded query={query}>
          {({ pages }) =>
            pages
              .flatMap(({ items }) => items)
              .map((unit) => (
                <label
                  key={unit.id}
                  className="flex cursor-pointer items-start gap-3 border-b border-line py-2 has-checked:bg-tint"
                >
                  <input
                    type="checkbox"
                    checked={chosen.has(unit.id)}
                    onChange={() => toggle(unit.id)}
                    className="mt-2 size-4 accent-accent"
                  />
                  <span className="min-w-0 flex-1">
                    <Remembered text={unitText(unit)} lines={2} className="text-base" />
                    <span className="text-sm text-faint">
                      <When at={unit.occurredAt} />
                    </span>
                  </span>
                </label>
              ))
          }
        </Loaded>
      </div>
    </Confirm>
  );
}
