/** The embedder for searches by meaning, and the progress of new vectors. */
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { statsQuery } from '../../api/queries.ts';
import { useSettingsChange, type Settings } from '../../api/settingsQuery.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

const STATIC = 'static';
const OLLAMA = 'http://127.0.0.1:11434/v1';

export function Embedder({ settings }: { readonly settings: Settings }) {
  const w = useWords();
  const change = useSettingsChange(w.model.embedderSaved);
  const [isAdding, setIsAdding] = useState(false);
  const { embedding } = settings.presets;
  const own = embedding.filter(({ id }) => id !== STATIC).map(({ id, name }) => [id, name] as const);
  const choose = (id: string) => {
    const isMissing = id === STATIC && !embedding.some((preset) => preset.id === STATIC);
    const preset = { id: STATIC, name: w.trace.embedders.static, settings: { provider: 'static' as const } };
    change.mutate({
      ...(isMissing && { presets: { embedding: [...embedding, preset] } }),
      active: { embedding: id === '' ? null : id },
    });
  };
  return (
    <Section
      title={w.trace.embedder}
      about={w.model.embedderAbout}
      actions={
        <Button icon={Plus} onClick={() => setIsAdding(true)}>
          {w.model.embedderAdd}
        </Button>
      }
    >
      <Select
        label={w.trace.embedder}
        value={settings.active.embedding ?? ''}
        options={[['', w.trace.embedders.bundled], [STATIC, w.trace.embedders.static], ...own]}
        disabled={change.isPending}
        onChoose={choose}
      />
      <Preparing />
      {isAdding && <EmbedderDialog settings={settings} onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

/** Vectors of another embedder that are being made. */
function Preparing() {
  const w = useWords();
  const f = useFormat();
  const { data: stats } = useQuery(statsQuery(useMemoryId()));
  const next = stats?.nextVectorModel;
  if (!next) return null;
  return (
    <p role="status" className="mt-2 text-sm text-soft">
      {w.model.embedderPreparing(next.id, f.number(next.count))}
    </p>
  );
}

interface EmbedderDialogProps {
  readonly settings: Settings;
  readonly onClose: () => void;
}

function EmbedderDialog({ settings, onClose }: EmbedderDialogProps) {
  const w = useWords();
  const [url, setUrl] = useState(OLLAMA);
  const [model, setModel] = useState('');
  const change = useSettingsChange(w.model.embedderKept, onClose);
  const name = model.trim();
  const save = () => {
    const id = `embedder-${name.replaceAll(/[^\w.-]+/g, '-')}`.slice(0, 60);
    const others = settings.presets.embedding.filter((preset) => preset.id !== id);
    const preset = { id, name, settings: { provider: 'endpoint' as const, url: url.trim(), model: name } };
    change.mutate({ presets: { embedding: [...others, preset] } });
  };
  return (
    <Confirm
      title={w.model.embedderAdd}
      about={w.model.embedderAddAbout}
      doLabel={w.common.save}
      isReady={name !== '' && url.trim() !== '' && !change.isPending}
      onDo={save}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Field label={w.model.address}>
          <Input type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
        </Field>
        <Field label={w.model.name}>
          <Input
            placeholder="nomic-embed-text"
            value={model}
            onChange={(event) => setModel(event.target.value)}
            spellCheck={false}
          />
        </Field>
      </div>
    </Confirm>
  );
}
