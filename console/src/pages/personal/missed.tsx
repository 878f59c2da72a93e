import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { Remembered, When } from '../../ui/text.tsx';
import { useWords } from '../../words/words.tsx';

const SHOWN = 10;

/** Finds a turn in which something personal was missed. */
export function Missed({ onOpen }: { readonly onOpen: (unitId: number) => void }) {
  const w = useWords();
  const [words, setWords] = useState('');
  const [wanted, setWanted] = useState('');
  return (
    <Section title={w.personal.missedTitle} about={w.personal.missedAbout}>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setWanted(words.trim());
        }}
      >
        <div className="min-w-0 flex-1 basis-60">
          <Field label={w.personal.missedWords}>
            <Input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
          </Field>
        </div>
        <Button type="submit" icon={Search} disabled={words.trim() === ''}>
          {w.personal.find}
        </Button>
      </form>
      {wanted !== '' && <Turns words={wanted} onOpen={onOpen} />}
    </Section>
  );
}

function Turns({ words, onOpen }: { readonly words: string; readonly onOpen: (unitId: number) => void }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'missed', words],
    queryFn: ({ signal }) =>
      api.explore(
        { memoryId, body: { query: { keywords: words }, view: 'quote', count: false, limit: SHOWN } },
        { signal },
      ),
  });
  return (
    <Loaded query={query}>
      {(found) => {
        const quotes = found.view === 'quote' ? found.quotes : [];
        if (quotes.length === 0)
          return (
            <p role="status" className="mt-4 text-sm text-soft">
              {w.memories.noneFound}
            </p>
          );
        return (
          <ul className="mt-2">
            {quotes.map(({ unitId, speaker, occurredAt, quote }) => (
              <li
                key={unitId}
                className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line py-3"
              >
                <div className="min-w-0 flex-1 basis-80">
                  <Remembered text={quote.text} lines={3} />
                  <p className="mt-0.5 flex flex-wrap gap-3 text-sm text-faint">
                    <span>{speaker}</span>
                    <When at={occurredAt} />
                  </p>
                </div>
                <Button onClick={() => onOpen(unitId)}>{w.personal.open}</Button>
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}
