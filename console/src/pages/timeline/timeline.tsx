import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function TimelinePage() {
  const w = useWords();
  return <Page {...w.pages.timeline}>{null}</Page>;
}
