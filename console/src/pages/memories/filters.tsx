import { useQuery } from '@tanstack/react-query';
import { Search as SearchIcon } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { useWords } from '../../words/words.tsx';

type Name =
  | 'q'
  | 'how'
  | 'kind'
  | 'state'
  | 'pinned'
  | 'sensitivity'
  | 'source'
  | 'from'
  | 'to'
  | 'topic'
  | 'entity'
  | 'unit';
export type Search = Partial<Record<Name, string>>;

const SHOWN_CHOICES = 100;

interface FiltersProps {
  readonly search: Search;
  readonly onChange: (next: Search) => void;
}

export function Filters({ search, onChange }: FiltersProps) {
  const w = useWords();
  const [words, setWords] = useState(search.q ?? '');
  const set = (name: Name, value: string) => {
    const { [name]: _, unit: __, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="mb-6 flex flex-col gap-3">
      <form
        role="search"
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          set('q', words.trim());
        }}
      >
        <Input
          type="search"
          aria-label={w.common.search}
          placeholder={w.memories.searchHint}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="min-w-0 flex-1 basis-56"
        />
        <Select
          label={w.memories.how}
          value={search.how ?? ''}
          options={[
            ['', w.memories.byMeaning],
            ['exact', w.memories.byWords],
          ]}
          onChoose={(value) => set('how', value)}
        />
        <Button type="submit" icon={SearchIcon} look="primary">
          {w.common.search}
        </Button>
        {search.q !== undefined && (
          <Button
            look="quiet"
            onClick={() => {
              setWords('');
              set('q', '');
            }}
          >
            {w.memories.clear}
          </Button>
        )}
      </form>
      {search.q === undefined && <ListFilters search={search} set={set} />}
    </div>
  );
}

interface ListFiltersProps {
  readonly search: Search;
  readonly set: (name: Name, value: string) => void;
}

function ListFilters({ search, set }: ListFiltersProps) {
  const w = useWords();
  const kinds = Object.entries(w.kinds);
  const states = Object.entries(w.states);
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <Select
        label={w.memories.kind}
        value={search.kind ?? ''}
        options={[['', w.memories.anyKind], ...kinds]}
        onChoose={(value) => set('kind', value)}
      />
      <Select
        label={w.memories.state}
        value={search.state ?? ''}
        options={[['', w.memories.anyState], ...states]}
        onChoose={(value) => set('state', value)}
      />
      <Select
        label={w.memories.sensitivity}
        value={search.sensitivity ?? ''}
        options={[
          ['', w.memories.notSecret],
          ['secret', w.memories.alsoSecret],
        ]}
        onChoose={(value) => set('sensitivity', value)}
      />
      <Select
        label={w.memories.source}
        value={search.source ?? ''}
        options={[
          ['', w.memories.anySource],
          ['chat', w.memories.sources.chat],
          ['import', w.memories.sources.import],
          ['notification', w.memories.sources.notification],
          ['user', w.memories.sources.user],
        ]}
        onChoose={(value) => set('source', value)}
      />
      <label className="flex items-center gap-1.5 whitespace-nowrap text-soft">
        {w.memories.from}
        <Input
          type="date"
          value={search.from ?? ''}
          onChange={(event) => set('from', event.target.value)}
          className="w-auto"
        />
      </label>
      <label className="flex items-center gap-1.5 whitespace-nowrap text-soft">
        {w.memories.to}
        <Input
          type="date"
          value={search.to ?? ''}
          onChange={(event) => set('to', event.target.value)}
          className="w-auto"
        />
      </label>
      <label className="flex items-center gap-1.5 whitespace-nowrap text-soft">
        <input
          type="checkbox"
          checked={search.pinned === 'true'}
          onChange={(event) => set('pinned', event.target.checked ? 'true' : '')}
          className="size-4 accent-accent"
        />
        {w.memories.onlyPinned}
      </label>
      <AboutWhom search={search} set={set} />
    </div>
  );
}

/** The entities and topics with most units; includes one given in the address. */
function AboutWhom({ search, set }: ListFiltersProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const people = useQuery({
    queryKey: [memoryId, 'entities', 'filter'],
    queryFn: ({ signal }) => api.listEntities({ memoryId, query: { limit: SHOWN_CHOICES } }, { signal }),
  });
  const topics = useQuery({
    queryKey: [memoryId, 'topics', 'filter'],
    queryFn: ({ signal }) => api.listTopics({ memoryId, query: { limit: SHOWN_CHOICES } }, { signal }),
  });
  return (
    <>
      <Select
        label={w.pages.people.title}
        value={search.entity ?? ''}
        options={withChosen(
          [
            ['', w.people.anyType],
            ...(people.data?.items.map(({ id, name }) => [String(id), name] as const) ?? []),
          ],
          search.entity,
        )}
        onChoose={(value) => set('entity', value)}
        className="max-w-44"
      />
      <Select
        label={w.pages.topics.title}
        value={search.topic ?? ''}
        options={withChosen(
          [
            ['', w.memories.anyTopic],
            ...(topics.data?.items.map(({ id, title }) => [String(id), title] as const) ?? []),
          ],
          search.topic,
        )}
        onChoose={(value) => set('topic', value)}
        className="max-w-44"
      />
    </>
  );
}

type Choices = readonly (readonly [string, string])[];

function withChosen(choices: Choices, chosen: string | undefined): Choices {
  if (chosen === undefined || choices.some(([id]) => id === chosen)) return choices;
  return [...choices, [chosen, `#${chosen}`]];
}
