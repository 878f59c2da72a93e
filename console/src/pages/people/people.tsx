import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function PeoplePage() {
  const w = useWords();
  return <Page {...w.pages.people}>{null}</Page>;
}
