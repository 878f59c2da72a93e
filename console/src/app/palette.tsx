/** The command palette: pages by name, and any text as a search or a question. */
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { MessagesSquare, Moon, Search, Sun, type LucideIcon } from 'lucide-react';
import { useEffect, useId, useMemo, useState, type KeyboardEvent } from 'react';
import { isComposing } from '../ui/field.tsx';
import { LANGUAGES, useSpeech, useWords, type Language } from '../words/words.tsx';
import { useMemoryId } from './memory.ts';
import { PAGES } from './nav.ts';
import { applyTheme } from './preferences.tsx';

export function usePalette() {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.isComposing) return;
      event.preventDefault();
      setIsOpen((open) => !open);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return { isOpen, open: () => setIsOpen(true), close: () => setIsOpen(false) };
}

interface Command {
  readonly id: string;
  readonly text: string;
  readonly icon?: LucideIcon;
  /** Shown for any text. */
  readonly isForWords?: true;
  readonly run: () => unknown;
}

function useCommands(words: string): readonly Command[] {
  const { words: w, setLanguage } = useSpeech();
  const memoryId = useMemoryId();
  const navigate = useNavigate();
  return useMemo(() => {
    const params = { memoryId };
    const pages = PAGES.map(({ id, to, icon }): Command => ({
      id,
      text: w.pages[id].title,
      icon,
      run: () => navigate({ to, params }),
    }));
    const asked = words.trim();
    const forWords: Command[] =
      asked === ''
        ? []
        : [
            {
              id: 'recall',
              text: w.shell.recallWords(asked),
              icon: MessagesSquare,
              isForWords: true,
              run: () => navigate({ to: '/m/$memoryId/chat', params, search: { q: asked } }),
            },
            {
              id: 'search',
              text: w.shell.searchWords(asked),
              icon: Search,
              isForWords: true,
              run: () =>
                navigate({ to: '/m/$memoryId/memories', params, search: { q: asked, how: 'exact' } }),
            },
          ];
    const languages = Object.entries(LANGUAGES).map(([id, name]): Command => ({
      id: `language-${id}`,
      text: name,
      run: () => setLanguage(id as Language),
    }));
    const themes: Command[] = [
      { id: 'light', text: w.shell.themes.light, icon: Sun, run: () => applyTheme('light') },
      { id: 'dark', text: w.shell.themes.dark, icon: Moon, run: () => applyTheme('dark') },
    ];
    const wanted = asked.toLowerCase();
    return [
      ...[...pages, ...languages, ...themes].filter(({ text }) => text.toLowerCase().includes(wanted)),
      ...forWords,
    ];
  }, [words, memoryId, navigate, w, setLanguage]);
}

export function Palette({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const w = useWords();
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/30" />
        <Dialog.Popup
          aria-label={w.shell.palette}
          className="fixed top-[12vh] left-1/2 z-40 w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 overflow-hidden rounded-2xl border border-line bg-card shadow-float"
        >
          <Dialog.Title className="sr-only">{w.shell.palette}</Dialog.Title>
          <CommandList onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CommandList({ onClose }: { readonly onClose: () => void }) {
  const w = useWords();
  const listId = useId();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands(words);
  const chosen = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    onClose();
    void command?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + commands.length) % commands.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[chosen]);
    }
  };
  return (
    <>
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={`${listId}-${chosen}`}
        aria-label={w.shell.palette}
        placeholder={w.shell.paletteHint}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="w-full border-b border-line bg-transparent px-5 py-4 outline-none placeholder:text-faint"
      />
      <div
        id={listId}
        role="listbox"
        aria-label={w.shell.palette}
        className="max-h-[50vh] overflow-y-auto p-2"
      >
        {commands.map((command, i) => (
          <button
            type="button"
            tabIndex={-1}
            key={command.id}
            id={`${listId}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onPointerMove={() => setAt(i)}
            onClick={() => run(command)}
            className={clsx(
              'flex w-full cursor-pointer items-center gap-3 text-left rounded-lg px-3 py-2',
              i === chosen ? 'bg-tint text-accent' : 'text-soft',
            )}
          >
            {command.icon ? <command.icon size={16} aria-hidden /> : <span className="w-4" />}
            <span className="truncate">{command.text}</span>
          </button>
        ))}
      </div>
    </>
  );
}
