import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function MemoriesPage() {
  const w = useWords();
  return <Page {...w.pages.memories}>{null}</Page>;
}
