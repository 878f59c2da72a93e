import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function ConversationsPage() {
  const w = useWords();
  return <Page {...w.pages.conversations}>{null}</Page>;
}
