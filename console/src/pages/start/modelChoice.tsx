import { useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { healthQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { useWords } from '../../words/words.tsx';
import { StartCard } from './startCard.tsx';

const ModelDialog = lazy(async () => ({ default: (await import('../operate/modelDialog.tsx')).ModelDialog }));

export function ModelChoice() {
  const w = useWords();
  const { data } = useQuery(healthQuery);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <StartCard
      icon={Bot}
      title={w.start.model}
      about={data?.models.chat === true ? w.start.modelSome : w.start.modelNone}
    >
      <Button className="self-start" onClick={() => setIsAsking(true)}>
        {w.model.add}
      </Button>
      {isAsking && (
        <Suspense>
          <ModelDialog onClose={() => setIsAsking(false)} />
        </Suspense>
      )}
    </StartCard>
  );
}
