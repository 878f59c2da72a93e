import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { FilePlus2, NotebookPen } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { api, type Item } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { Empty, Failed, Loaded, Loading, Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/text.tsx';
import { languageOf } from '../../words/language.ts';
import { useFormat, useWords } from '../../words/words.tsx';
import { useCaret } from './useCaret.ts';
import { useNoteEditor, type NoteState } from './useNoteEditor.ts';

type NoteFile = Item<'listNotes'>;
const route = getRouteApi('/m/$memoryId/notes');

export default function NotesPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const { file } = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/notes' });
  const [isAsking, setIsAsking] = useState(false);
  const open = (uri: string) => void navigate({ to: '.', search: { file: uri } });
  const query = useQuery({
    queryKey: [memoryId, 'notes'],
    queryFn: ({ signal }) => api.listNotes({ memoryId }, { signal }),
  });
  const hasFolder = query.data?.folder === true;
  return (
    <Page
      {...w.pages.notes}
      width="wide"
      actions={
        hasFolder && (
          <Button icon={FilePlus2} onClick={() => setIsAsking(true)}>
            {w.notes.newNote}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ folder, items }) =>
          !folder ? (
            <None title={w.notes.noFolder} about={w.notes.noFolderAbout} memoryId={memoryId} />
          ) : items.length === 0 && file === undefined ? (
            <None title={w.notes.empty} about={w.notes.emptyAbout} memoryId={memoryId} />
          ) : (
            <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[17rem_minmax(0,1fr)]">
              <FileList items={items} chosen={file} onOpen={open} />
              {file !== undefined && <Editor key={`${memoryId}/${file}`} uri={file} />}
            </div>
          )
        }
      </Loaded>
      {isAsking && (
        <NewNote
          known={query.data?.items ?? []}
          onMake={(uri) => {
            setIsAsking(false);
            open(uri);
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </Page>
  );
}

interface NoneProps {
  readonly title: string;
  readonly about: string;
  readonly memoryId: string;
}

function None({ title, about, memoryId }: NoneProps): ReactNode {
  const memory = memoryId === 'default' ? '' : ` --memory ${memoryId}`;
  return (
    <Empty icon={NotebookPen} title={title}>
      <p className="mb-3">{about}</p>
      <Copyable text={`omoide notes${memory} remember "…"`} />
    </Empty>
  );
}

interface FileListProps {
  readonly items: readonly NoteFile[];
  readonly chosen: string | undefined;
  readonly onOpen: (uri: string) => void;
}

function FileList({ items, chosen, onOpen }: FileListProps) {
  const w = useWords();
  const f = useFormat();
  const sorted = items.toSorted((a, b) => a.uri.localeCompare(b.uri));
  return (
    <nav aria-label={w.notes.file}>
      <ul className="flex flex-col">
        {sorted.map(({ uri, modifiedAt }) => (
          <li key={uri}>
            <button
              type="button"
              aria-current={uri === chosen ? 'page' : undefined}
              onClick={() => onOpen(uri)}
              className={clsx(
                'flex w-full flex-wrap items-baseline gap-x-3 rounded-lg px-3 py-2 text-left',
                uri === chosen ? 'bg-tint text-accent' : 'hover:bg-sunken',
              )}
            >
              <span className="min-w-0 flex-1">{uri}</span>
              <span className="text-sm text-faint">{f.relative(modifiedAt)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const TONES = {
  saved: 'good',
  merged: 'accent',
  lost: 'bad',
  saving: 'plain',
  unsaved: 'plain',
} as const satisfies Record<NoteState, string>;

function Editor({ uri }: { readonly uri: string }) {
  const w = useWords();
  const { query, text, state, change, save } = useNoteEditor(uri);
  const { ref, noteCaret, noteTyping } = useCaret(text);
  return (
    <section className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 className="min-w-0 flex-1 font-semibold">{uri}</h2>
        <span role="status">
          <Badge tone={TONES[state]}>{w.notes[state]}</Badge>
        </span>
      </div>
      {query.error && (
        <div className="mb-3">
          <Failed error={query.error} retry={query.refetch} />
        </div>
      )}
      {text === null ? (
        !query.error && <Loading lines={8} />
      ) : (
        <Textarea
          ref={ref}
          onSelect={noteCaret}
          aria-label={w.notes.edit}
          lang={languageOf(text)}
          value={text}
          onChange={(event) => {
            noteTyping();
            change(event.target.value);
          }}
          onBlur={() => void save()}
          className="remembered min-h-[60dvh] p-5 field-sizing-content"
        />
      )}
    </section>
  );
}

interface NewNoteProps {
  readonly known: readonly NoteFile[];
  readonly onMake: (uri: string) => void;
  readonly onClose: () => void;
}

function NewNote({ known, onMake, onClose }: NewNoteProps) {
  const w = useWords();
  const [name, setName] = useState('user/');
  const uri = name.trim().endsWith('.md') ? name.trim() : `${name.trim()}.md`;
  const isKnown = known.some((file) => file.uri === uri);
  return (
    <Confirm
      title={w.notes.newNote}
      doLabel={w.notes.make}
      isReady={!isKnown && /[^/]\.md$/.test(uri)}
      onDo={() => onMake(uri)}
      onClose={onClose}
    >
      <Field label={w.notes.newName} about={isKnown ? w.notes.exists : w.notes.newAbout}>
        <Input value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
    </Confirm>
  );
}
