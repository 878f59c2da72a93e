import { useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { healthQuery } from '../../api/queries.ts';
import { useWords } from '../../words/words.tsx';
import { StartCard } from './startCard.tsx';

export function ModelChoice() {
  const w = useWords();
  const { data } = useQuery(healthQuery);
  return (
    <StartCard
      icon={Bot}
      title={w.start.model}
      about={data?.models.chat === true ? w.start.modelSome : w.start.modelNone}
    >
      {null}
    </StartCard>
  );
}
