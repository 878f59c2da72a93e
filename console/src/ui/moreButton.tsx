import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

interface MoreButtonProps {
  /** A list that is loaded page by page. */
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Loads the next page of a list; hidden on the last page. */
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
