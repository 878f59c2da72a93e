import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Sparkles } from 'lucide-react';
import { api, queryClient, type Answer } from '../../api/api.ts';
import { memoriesQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useSpeech, type Language } from '../../words/words.tsx';
import { StartCard } from './startCard.tsx';

type Suggestion = Answer<'addSample'>['questions'][number];

const keyOf = (memoryId: string) => `omoide-questions-${memoryId}`;

/** The suggested questions of a sample, which were returned when it was loaded. */
export function readSuggestions(memoryId: string): readonly Suggestion[] {
  try {
    return JSON.parse(localStorage.getItem(keyOf(memoryId)) ?? '[]') as Suggestion[];
  } catch {
    return [];
  }
}

export function Samples() {
  const { words: w, language } = useSpeech();
  const tell = useTell();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: async (sample: Language) => {
      const memoryId = `sample-${sample}`;
      const { questions } = await api.addSample({ memoryId, body: { language: sample } });
      localStorage.setItem(keyOf(memoryId), JSON.stringify(questions));
      await queryClient.invalidateQueries({ queryKey: memoriesQuery.queryKey });
      await navigate({ to: '/m/$memoryId', params: { memoryId } });
    },
    onError: tell.failed,
  });
  const others = (['ja', 'zh', 'en'] as const).filter((one) => one !== language);
  return (
    <StartCard icon={Sparkles} title={w.start.sample} about={w.start.sampleAbout}>
      <div className="flex flex-wrap gap-2">
        {[language, ...others].map((sample, i) => (
          <Button
            key={sample}
            look={i === 0 ? 'primary' : 'plain'}
            disabled={add.isPending}
            onClick={() => add.mutate(sample)}
          >
            {w.start.sampleLanguages[sample]}
          </Button>
        ))}
      </div>
    </StartCard>
  );
}
