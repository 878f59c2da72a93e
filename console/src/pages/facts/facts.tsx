import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function FactsPage() {
  const w = useWords();
  return <Page {...w.pages.facts}>{null}</Page>;
}
