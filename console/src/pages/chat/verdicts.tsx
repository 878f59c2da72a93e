import { useMutation } from '@tanstack/react-query';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient, type Answer } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { IconButton } from '../../ui/button.tsx';
import type { Hit } from '../../ui/found.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useWords } from '../../words/words.tsx';
import type { Exchange } from './useExchanges.ts';

type Verdict = Answer<'giveFeedback'>['verdict'];

/** Feedback on a hit: shown at once, reverted when it cannot be stored. */
export function Verdicts({ hit, exchange }: { readonly hit: Hit; readonly exchange: Exchange }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const [given, setGiven] = useState<Verdict | null>(null);
  const give = useMutation({
    mutationFn: (verdict: Verdict) =>
      api.giveFeedback({
        memoryId,
        body: {
          unitId: hit.unitId,
          verdict,
          utterance: exchange.text,
          context: [...exchange.context],
          profile: exchange.pack?.recall.metadata.profile ?? 'conversation',
        },
      }),
    onMutate: (verdict) => {
      setGiven(verdict);
      return { before: given };
    },
    onSuccess: () => tell.done(w.feedback.told),
    onError: (error, _, context) => {
      setGiven(context?.before ?? null);
      tell.failed(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId, 'feedback'] }),
  });
  return (
    <>
      <IconButton
        label={w.feedback.helped}
        icon={ThumbsUp}
        isOn={given === 'helped'}
        onClick={() => give.mutate('helped')}
      />
      <IconButton
        label={w.feedback.wrong}
        icon={ThumbsDown}
        isOn={given === 'wrong'}
        onClick={() => give.mutate('wrong')}
      />
    </>
  );
}
