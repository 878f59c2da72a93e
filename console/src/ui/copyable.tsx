import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useWords } from '../words/words.tsx';
import { IconButton } from './button.tsx';

const SHOWN_MS = 1_500;

/** A command to copy. */
export function Copyable({ text }: { readonly text: string }) {
  const w = useWords();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), SHOWN_MS);
  };
  return (
    <div className="flex items-center gap-1 rounded-lg bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1 text-[0.85rem]">{text}</code>
      <IconButton
        label={isCopied ? w.common.copied : w.common.copy}
        icon={isCopied ? Check : Copy}
        onClick={() => void copy()}
      />
    </div>
  );
}
