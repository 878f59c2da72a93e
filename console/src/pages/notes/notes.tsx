import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function NotesPage() {
  const w = useWords();
  return <Page {...w.pages.notes}>{null}</Page>;
}
