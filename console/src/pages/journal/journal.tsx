import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function JournalPage() {
  const w = useWords();
  return <Page {...w.pages.journal}>{null}</Page>;
}
