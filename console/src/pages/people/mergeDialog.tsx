import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { api, queryClient, type Answer } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Chooser } from '../../ui/chooser.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useWords } from '../../words/words.tsx';

interface MergeDialogProps {
  readonly answer: Answer<'readEntity'>;
  readonly onMerged: (entityId: number) => void;
  readonly onClose: () => void;
}

/** Merges duplicates, after a preview. */
export function MergeDialog({ answer, onMerged, onClose }: MergeDialogProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const { entity, edges, mentions } = answer;
  const [intoId, setIntoId] = useState<number | null>(null);
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed);
  const { data } = useQuery({
    queryKey: [memoryId, 'entities', 'choose', words],
    queryFn: ({ signal }) =>
      api.listEntities({ memoryId, query: { limit: 30, ...(words !== '' && { query: words }) } }, { signal }),
    placeholderData: keepPreviousData,
  });
  const others = data?.items.filter(({ id }) => id !== entity.id) ?? [];
  const into = others.find(({ id }) => id === intoId);
  const merge = useMutation({
    mutationFn: (id: number) => api.mergeEntity({ memoryId, entityId: entity.id, body: { into: id } }),
    onSuccess: (merged) => {
      tell.done(w.people.merged);
      onClose();
      onMerged(merged.id);
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <Confirm
      title={w.people.mergeTitle(entity.name)}
      about={w.people.mergeAbout}
      doLabel={w.people.mergeDo}
      isReady={into !== undefined && !merge.isPending}
      onDo={() => into && merge.mutate(into.id)}
      onClose={onClose}
    >
      <Chooser
        label={w.people.search}
        choices={others.map(({ id, name, type }) => ({ id, text: name, about: w.people.types[type] }))}
        chosenId={intoId}
        onChoose={setIntoId}
        onType={setTyped}
      />
      {into && (
        <p className="mt-4 rounded-lg bg-sunken px-4 py-3 text-sm">
          {w.people.mergePreview([entity.name, ...entity.aliases].join('・'), into.name)}{' '}
          {w.people.mergeMoves(mentions.length, edges.length)}
        </p>
      )}
    </Confirm>
  );
}
