/** Selects one of many items by typing. */
import { useState } from 'react';
import { languageOf } from '../words/language.ts';
import { Input } from './field.tsx';

interface Choice {
  readonly id: number;
  readonly text: string;
  readonly about?: string;
}

interface ChooserProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosenId: number | null;
  readonly onChoose: (id: number) => void;
  /** Called with the typed text if the choices are loaded from elsewhere. */
  readonly onType?: (words: string) => void;
}

const SHOWN = 30;

export function Chooser({ label, choices, chosenId, onChoose, onType }: ChooserProps) {
  const [words, setWords] = useState('');
  const wanted = words.trim().toLowerCase();
  const shown = onType ? choices : choices.filter(({ text }) => text.toLowerCase().includes(wanted));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium text-soft">{label}</legend>
      <Input
        type="search"
        aria-label={label}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          onType?.(event.target.value.trim());
        }}
      />
      <div className="flex max-h-56 flex-col overflow-y-auto rounded-lg border border-line">
        {shown.slice(0, SHOWN).map(({ id, text, about }) => (
          <label
            key={id}
            className="flex cursor-pointer items-baseline gap-2 border-b border-line px-3 py-2 last:border-b-0 has-checked:bg-tint"
          >
            <input
              type="radio"
              name={label}
              checked={id === chosenId}
              onChange={() => onChoose(id)}
              className="accent-accent"
            />
            <span lang={languageOf(text)} className="min-w-0 flex-1">
              {text}
            </span>
            {about !== undefined && <span className="text-sm text-faint">{about}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
