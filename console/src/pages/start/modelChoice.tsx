import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { healthQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { buttonClass } from '../../ui/button.tsx';
import { useWords } from '../../words/words.tsx';
import { StartCard } from './startCard.tsx';

export function ModelChoice() {
  const w = useWords();
  const memoryId = useMemoryId();
  const { data } = useQuery(healthQuery);
  return (
    <StartCard
      icon={Bot}
      title={w.start.model}
      about={data?.models.chat === true ? w.start.modelSome : w.start.modelNone}
    >
      <div>
        <Link
          to="/m/$memoryId/operate"
          params={{ memoryId }}
          search={{ tab: 'models' }}
          className={buttonClass()}
        >
          {w.start.modelSet}
        </Link>
      </div>
    </StartCard>
  );
}
