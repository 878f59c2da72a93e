import { Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';

export default function ChatPage() {
  const w = useWords();
  return <Page {...w.pages.chat}>{null}</Page>;
}
