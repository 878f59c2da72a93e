import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function TopicsPage() {
  const w = useWords();
  return <Page {...w.pages.topics}>{null}</Page>;
}
