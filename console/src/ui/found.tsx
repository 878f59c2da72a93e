/** A recall's hit, with its source. */
import { Link } from '@tanstack/react-router';
import { MapPin } from 'lucide-react';
import type { Answer } from '../api/api.ts';
import { useMemoryId } from '../app/memory.ts';
import { useWords } from '../words/words.tsx';
import { Badge, Remembered, When } from './text.tsx';

export type Hit = Answer<'recall'>['hits'][number];

type Found = Pick<Hit, 'text' | 'kind' | 'speaker' | 'occurredAt' | 'conversationId' | 'turnIndex'>;

export function FoundHit({ hit }: { readonly hit: Found }) {
  const w = useWords();
  return (
    <figure className="border-l-2 border-accent pl-4">
      <Remembered text={hit.text} />
      <figcaption className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
        {hit.kind === 'episode' ? <span>{hit.speaker}</span> : <Badge>{w.kinds[hit.kind]}</Badge>}
        <When at={hit.occurredAt} />
        <SourceLink conversationId={hit.conversationId} turnIndex={hit.turnIndex} />
      </figcaption>
    </figure>
  );
}

interface SourceLinkProps {
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
}

/** Opens a turn in its conversation. */
export function SourceLink({ conversationId, turnIndex }: SourceLinkProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  if (conversationId === null || turnIndex === null) return null;
  return (
    <Link
      to="/m/$memoryId/conversations"
      params={{ memoryId }}
      search={{ c: conversationId, turn: String(turnIndex) }}
      className="inline-flex items-center gap-1 text-accent underline-offset-4 hover:underline"
    >
      <MapPin size={13} aria-hidden />
      {w.start.inPlace}
    </Link>
  );
}
