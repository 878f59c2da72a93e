import { ArrowUp, Square } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { useWords } from '../words/words.tsx';
import { IconButton } from './button.tsx';
import { isSendingEnter, Textarea } from './field.tsx';

interface SenderProps {
  readonly label: string;
  readonly placeholder: string;
  readonly sendLabel: string;
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop?: () => void;
}

/** The message input: Enter sends, Shift+Enter starts a new line. */
export function Sender({ label, placeholder, sendLabel, isBusy, onSend, onStop }: SenderProps) {
  const w = useWords();
  const [text, setText] = useState('');
  const send = () => {
    if (isBusy || text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  return (
    <div className="relative">
      <Textarea
        aria-label={label}
        placeholder={placeholder}
        rows={Math.min(6, 1 + text.split('\n').length)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event: KeyboardEvent) => {
          if (!isSendingEnter(event)) return;
          event.preventDefault();
          send();
        }}
        className="rounded-2xl py-3 pr-14 pl-4 shadow-float"
      />
      <div className="absolute right-2.5 bottom-3.5">
        {isBusy && onStop ? (
          <IconButton label={w.common.cancel} icon={Square} onClick={onStop} />
        ) : (
          <IconButton
            label={sendLabel}
            icon={ArrowUp}
            disabled={isBusy || text.trim() === ''}
            onClick={send}
            className="bg-accent! text-on-accent!"
          />
        )}
      </div>
    </div>
  );
}
