import { useMutation, useQuery } from '@tanstack/react-query';
import type { Input } from 'omoide/client';
import { useState } from 'react';
import { api, queryClient } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Chooser } from '../../ui/chooser.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Remembered } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useWords } from '../../words/words.tsx';
import type { PlacedTopic, Topic } from './topics.tsx';

type Plan = Input<'describeReorganization'>['body']['plan'];

interface RegroupDialogProps {
  readonly how: 'move' | 'merge';
  readonly topic: Topic;
  readonly all: readonly PlacedTopic[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Moves a topic below another, or merges it into another, after a preview. */
export function RegroupDialog({ how, topic, all, onDone, onClose }: RegroupDialogProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const [otherId, setOtherId] = useState<number | null>(null);
  const plan = otherId === null ? null : planOf(how, topic.id, otherId);
  const described = useQuery({
    queryKey: [memoryId, 'would', how, topic.id, otherId],
    queryFn: ({ signal }) =>
      plan ? api.describeReorganization({ memoryId, body: { plan } }, { signal }) : { lines: [] },
    enabled: plan !== null,
  });
  const carryOut = useMutation({
    mutationFn: (given: Plan) => api.reorganize({ memoryId, body: { plan: given } }),
    onSuccess: () => {
      tell.done(w.topics.moved);
      onDone();
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  const near = new Set([topic.id, ...topic.parentIds, ...(how === 'move' ? topic.childIds : [])]);
  const others = all.flatMap(({ topic: other }) =>
    near.has(other.id) ? [] : [{ id: other.id, text: other.title, about: w.topics.count(other.members) }],
  );
  return (
    <Confirm
      title={how === 'move' ? w.topics.moveTitle : w.topics.mergeTitle}
      about={how === 'move' ? w.topics.moveAbout : w.topics.mergeAbout}
      doLabel={w.topics.doIt}
      isReady={plan !== null && described.data !== undefined && !carryOut.isPending}
      onDo={() => plan && carryOut.mutate(plan)}
      onClose={onClose}
    >
      <Chooser label={w.topics.into} choices={others} chosenId={otherId} onChoose={setOtherId} />
      {plan && (
        <section className="mt-4">
          <h3 className="mb-1 text-sm font-medium text-soft">{w.topics.would}</h3>
          <Loaded query={described} lines={2}>
            {({ lines }) =>
              lines.map((line) => (
                <Remembered key={line} text={line} className="border-l-2 border-line pl-3 text-base" />
              ))
            }
          </Loaded>
        </section>
      )}
    </Confirm>
  );
}

function planOf(how: RegroupDialogProps['how'], topicId: number, otherId: number): Plan {
  const reason = 'by hand';
  const operation: Plan['operations'][number] =
    how === 'move'
      ? { type: 'parent', childIds: [topicId], parent: { topicId: otherId }, reason }
      : { type: 'merge', topicIds: [topicId], intoId: otherId, rename: null, reason };
  return { at: Date.now(), by: 'user', operations: [operation], refresh: [otherId] };
}
