import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly about?: string;
  readonly doLabel: string;
  readonly isReady: boolean;
  readonly onDo: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A preview with a confirm button. */
export function Confirm({ title, about, doLabel, isReady, onDo, onClose, children }: ConfirmProps) {
  const w = useWords();
  return (
    <Dialog isOpen onClose={onClose} title={title} {...(about !== undefined && { about })}>
      {children}
      <div className="mt-5 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {w.common.cancel}
        </Button>
        <Button look="primary" disabled={!isReady} onClick={onDo}>
          {doLabel}
        </Button>
      </div>
    </Dialog>
  );
}
