/** An entity: its names, relations and mentions. */
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, GitMerge, Pencil, Split } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { api, queryClient, type Answer } from '../../api/api.ts';
import { unitsQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { ForgetButton } from '../../forget/forgetButton.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Input, Select, Textarea } from '../../ui/field.tsx';
import { Loaded, Loading, Section } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Badge } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { QuotedUnits } from '../../unit/quotedUnits.tsx';
import { languageOf } from '../../words/language.ts';
import { useFormat, useWords } from '../../words/words.tsx';
import { MergeDialog } from './mergeDialog.tsx';
import type { Entity } from './people.tsx';
import { RelationTable } from './relationTable.tsx';
import { SplitDialog } from './splitDialog.tsx';

const Graph = lazy(() => import('./graph.tsx'));

export type Neighbourhood = Answer<'readNeighbourhood'>;

interface EntityDetailProps {
  readonly entityId: number;
  readonly onOpen: (entityId: number | null) => void;
}

export function EntityDetail({ entityId, onOpen }: EntityDetailProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'entity', entityId],
    queryFn: ({ signal }) => api.readEntity({ memoryId, entityId }, { signal }),
  });
  return (
    <>
      <Button look="quiet" icon={ArrowLeft} className="mb-4 -ml-3" onClick={() => onOpen(null)}>
        {w.people.all}
      </Button>
      <Loaded query={query} lines={8}>
        {(answer) => <Whole answer={answer} onOpen={onOpen} />}
      </Loaded>
    </>
  );
}

interface WholeProps {
  readonly answer: Answer<'readEntity'>;
  readonly onOpen: (entityId: number | null) => void;
}

type Asked = 'rename' | 'merge' | 'split';

function Whole({ answer, onOpen }: WholeProps) {
  const w = useWords();
  const { entity } = answer;
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <div className="mb-8 flex flex-wrap items-start gap-4">
        <div className="min-w-0 flex-1 basis-64">
          <h2 lang={languageOf(entity.name)} className="font-serif text-2xl font-semibold">
            {entity.name}
          </h2>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-soft">
            <Badge>{w.people.types[entity.type]}</Badge>
            {entity.aliases.length > 0 && `${w.people.aliases}: ${entity.aliases.join('・')}`}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button icon={Pencil} onClick={() => setAsked('rename')}>
            {w.people.rename}
          </Button>
          <Button icon={GitMerge} onClick={() => setAsked('merge')}>
            {w.people.merge}
          </Button>
          <Button icon={Split} onClick={() => setAsked('split')}>
            {w.people.split}
          </Button>
          <ForgetButton request={{ person: entity.id }} name={entity.name} onForgotten={() => onOpen(null)} />
        </div>
      </div>
      <div className="grid gap-x-10 lg:grid-cols-2">
        <Relations entity={entity} onOpen={onOpen} />
        <Mentions entity={entity} />
      </div>
      {asked === 'rename' && <RenameDialog entity={entity} onClose={close} />}
      {asked === 'merge' && <MergeDialog answer={answer} onMerged={onOpen} onClose={close} />}
      {asked === 'split' && <SplitDialog entity={entity} onSplit={onOpen} onClose={close} />}
    </>
  );
}

function Relations({ entity, onOpen }: { readonly entity: Entity } & Pick<WholeProps, 'onOpen'>) {
  const w = useWords();
  const memoryId = useMemoryId();
  const [shape, setShape] = useState<'graph' | 'table'>('graph');
  const query = useQuery({
    queryKey: [memoryId, 'neighbourhood', entity.id],
    queryFn: ({ signal }) => api.readNeighbourhood({ memoryId, entityId: entity.id }, { signal }),
  });
  return (
    <Section title={w.people.relations}>
      <Loaded query={query}>
        {(around) =>
          around.edges.length === 0 ? (
            <p className="text-soft">{w.people.noRelations}</p>
          ) : (
            <>
              <Tabs
                label={w.people.relations}
                tabs={[
                  ['graph', w.people.asGraph],
                  ['table', w.people.asTable],
                ]}
                chosen={shape}
                onChoose={setShape}
              />
              {shape === 'table' ? (
                <RelationTable around={around} onOpen={onOpen} />
              ) : (
                <Suspense fallback={<Loading lines={6} />}>
                  <Graph around={around} centreId={entity.id} onOpen={onOpen} />
                </Suspense>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const SHOWN_MENTIONS = 20;

function Mentions({ entity }: { readonly entity: Entity }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery(unitsQuery(memoryId, { entityId: entity.id, limit: SHOWN_MENTIONS }));
  return (
    <Section
      title={w.people.mentions}
      actions={
        <Link
          to="/m/$memoryId/memories"
          params={{ memoryId }}
          search={{ entity: String(entity.id) }}
          className="text-sm text-accent hover:underline"
        >
          {w.common.all}
        </Link>
      }
    >
      <QuotedUnits query={query} />
    </Section>
  );
}

function RenameDialog({ entity, onClose }: { readonly entity: Entity; readonly onClose: () => void }) {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const tell = useTell();
  const [name, setName] = useState(entity.name);
  const [type, setType] = useState(entity.type);
  const [aliases, setAliases] = useState(entity.aliases.join('\n'));
  const save = useMutation({
    mutationFn: () =>
      api.changeEntity({
        memoryId,
        entityId: entity.id,
        body: { name: name.trim(), type, aliases: linesOf(aliases) },
      }),
    onSuccess: () => {
      tell.done(w.people.renamed);
      onClose();
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <Confirm
      title={w.people.rename}
      doLabel={w.common.save}
      isReady={name.trim() !== '' && !save.isPending}
      onDo={() => save.mutate()}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Field label={w.people.name}>
          <Input value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Select<Entity['type']>
          label={w.people.type}
          value={type}
          options={Object.entries(w.people.types) as [Entity['type'], string][]}
          onChoose={setType}
        />
        <Field label={w.people.aliases} about={w.people.namesAbout}>
          <Textarea
            rows={Math.min(8, 2 + linesOf(aliases).length)}
            value={aliases}
            onChange={(event) => setAliases(event.target.value)}
          />
        </Field>
        <p className="text-sm text-faint">
          {w.people.weight}: {f.percent(entity.salience)}
        </p>
      </div>
    </Confirm>
  );
}

function linesOf(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
}
