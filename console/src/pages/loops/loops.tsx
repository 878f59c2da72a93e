import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function LoopsPage() {
  const w = useWords();
  return <Page {...w.pages.loops}>{null}</Page>;
}
