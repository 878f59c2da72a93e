import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

interface MoreButtonProps {
  /** A list that is read page by page. */
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Reads the next page of a list; nothing where there is none. */
export function MoreButton({ query }: MoreButtonProps) {
  const w = useWords();
  if (!query.hasNextPage) return null;
  return (
    <Button
      className="mt-4 self-start"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {w.common.more}
    </Button>
  );
}
