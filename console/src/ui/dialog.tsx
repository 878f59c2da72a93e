import { Dialog as Base } from '@base-ui/react/dialog';
import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about?: string;
  /** `side`: a sheet at the side, which leaves the page visible. */
  readonly place?: 'middle' | 'side';
  readonly children: ReactNode;
}

const PLACES = {
  middle:
    'left-1/2 top-[8vh] w-[min(34rem,calc(100vw-1.5rem))] max-h-[84vh] -translate-x-1/2 rounded-2xl data-[starting-style]:opacity-0 data-[ending-style]:opacity-0',
  side: 'right-0 top-0 h-dvh w-[min(36rem,100vw)] border-l data-[starting-style]:translate-x-6 data-[starting-style]:opacity-0 data-[ending-style]:translate-x-6 data-[ending-style]:opacity-0',
} as const;

export function Dialog({ isOpen, onClose, title, about, place = 'middle', children }: DialogProps) {
  const w = useWords();
  const popupRef = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/30 transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <Base.Popup
          ref={popupRef}
          // Not its close button: with the button’s tooltip open, Escape closes only the tooltip.
          initialFocus={popupRef}
          className={clsx(
            'outline-none fixed z-40 flex flex-col overflow-hidden border-line bg-card shadow-float transition duration-150',
            PLACES[place],
          )}
        >
          <header className="flex items-start gap-3 border-b border-line px-5 py-4">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg leading-snug font-semibold">{title}</Base.Title>
              {about !== undefined && (
                <Base.Description className="mt-1 text-sm text-soft">{about}</Base.Description>
              )}
            </div>
            <Base.Close render={<IconButton label={w.common.close} icon={X} />} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
