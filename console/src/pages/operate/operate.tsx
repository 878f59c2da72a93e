import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function OperatePage() {
  const w = useWords();
  return <Page {...w.pages.operate}>{null}</Page>;
}
