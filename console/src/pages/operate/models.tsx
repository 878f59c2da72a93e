import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { settingsQuery, useSettingsChange, type Settings } from '../../api/settingsQuery.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { Badge } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { Embedder } from './embedder.tsx';
import { ModelDialog } from './modelDialog.tsx';

type Preset = Settings['presets']['llm'][number];

export function Models() {
  const w = useWords();
  const query = useQuery(settingsQuery);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-64 text-soft">{w.model.about}</p>
        <Button icon={Plus} onClick={() => setIsAdding(true)}>
          {w.model.add}
        </Button>
      </div>
      <Loaded query={query}>
        {(settings) => (
          <>
            <Chosen settings={settings} />
            <div className="mt-10">
              <Embedder settings={settings} />
            </div>
          </>
        )}
      </Loaded>
      {isAdding && <ModelDialog onClose={() => setIsAdding(false)} />}
    </>
  );
}

function Chosen({ settings }: { readonly settings: Settings }) {
  const w = useWords();
  const change = useSettingsChange(w.model.saved);
  const removing = useSettingsChange(w.model.removed);
  const { llm } = settings.presets;
  const names = llm.map(({ id, name }) => [id, name] as const);
  const remove = (preset: Preset) => {
    const { chat, light, vision } = settings.active;
    removing.mutate({
      presets: { llm: llm.filter(({ id }) => id !== preset.id) },
      active: {
        ...(chat === preset.id && { chat: null }),
        ...(light === preset.id && { light: null }),
        ...(vision === preset.id && { vision: null }),
      },
    });
  };
  if (llm.length === 0) return <p className="text-soft">{w.start.modelNone}</p>;
  return (
    <>
      <div className="mb-5 flex flex-wrap gap-4">
        {(['chat', 'light'] as const).map((role) => (
          <label key={role} className="flex items-center gap-2 text-sm text-soft">
            {role === 'chat' ? w.model.use : w.model.useLight}
            <Select
              label={role === 'chat' ? w.model.use : w.model.useLight}
              value={settings.active[role] ?? ''}
              options={[['', role === 'chat' ? w.model.none : w.model.same], ...names]}
              onChoose={(id) => change.mutate({ active: { [role]: id === '' ? null : id } })}
            />
          </label>
        ))}
      </div>
      <ul className="grid gap-3 md:grid-cols-2">
        {llm.map((preset) => (
          <li key={preset.id}>
            <ModelCard
              preset={preset}
              isUsed={settings.active.chat === preset.id}
              onRemove={() => remove(preset)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface ModelCardProps {
  readonly preset: Preset;
  readonly isUsed: boolean;
  readonly onRemove: () => void;
}

function ModelCard({ preset, isUsed, onRemove }: ModelCardProps) {
  const w = useWords();
  const f = useFormat();
  const tell = useTell();
  const test = useMutation({
    mutationFn: () => api.testModel({ body: { id: preset.id } }),
    onError: tell.failed,
  });
  return (
    <Card>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {preset.name}
            {isUsed && <Badge tone="accent">{w.model.use}</Badge>}
          </p>
          <p className="text-sm text-faint">{preset.settings.url}</p>
        </div>
        <IconButton label={w.model.remove} icon={Trash2} onClick={onRemove} />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-3" aria-live="polite">
        <Button icon={Zap} disabled={test.isPending} onClick={() => test.mutate()}>
          {w.model.test}
        </Button>
        {test.isPending && <span className="breathing text-sm text-soft">{w.model.testing}</span>}
        {test.data?.ok === true && (
          <span className="text-sm text-good">
            {w.model.works(f.ms(test.data.elapsedMs))} 「{test.data.reply}」
          </span>
        )}
        {test.data?.ok === false && (
          <span className="text-sm text-bad">
            {w.model.fails} {test.data.problem}
          </span>
        )}
      </div>
    </Card>
  );
}
