import { Plug } from 'lucide-react';
import { Copyable } from '../../ui/copyable.tsx';
import { useWords } from '../../words/words.tsx';
import { StartCard } from './startCard.tsx';

const CLIENTS = ['claude-code', 'cursor', 'vscode', 'codex'];

export function ConnectAgent({ memoryId }: { readonly memoryId: string }) {
  const w = useWords();
  const memory = memoryId === 'default' ? '' : ` --memory ${memoryId}`;
  return (
    <StartCard icon={Plug} title={w.start.agent} about={w.start.agentAbout}>
      {CLIENTS.map((client) => (
        <Copyable key={client} text={`omoide mcp install ${client}${memory}`} />
      ))}
    </StartCard>
  );
}
