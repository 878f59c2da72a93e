/** Configures a language model: provider, name and, if needed, a key. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery, useSettingsChange } from '../../api/settingsQuery.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { useWords } from '../../words/words.tsx';

const ADDRESSES = {
  ollama: 'http://127.0.0.1:11434/v1',
  lmstudio: 'http://127.0.0.1:1234/v1',
  endpoint: 'https://api.openai.com/v1',
} as const;
type Provider = keyof typeof ADDRESSES;

export function ModelDialog({ onClose }: { readonly onClose: () => void }) {
  const w = useWords();
  const { data: settings } = useQuery(settingsQuery);
  const [provider, setProvider] = useState<Provider>('ollama');
  const [url, setUrl] = useState<string>(ADDRESSES.ollama);
  const [model, setModel] = useState('');
  const [apiKey, setApiKey] = useState('');
  const change = useSettingsChange(w.model.saved, onClose);
  const save = () => {
    const id = model
      .trim()
      .replaceAll(/[^\w.-]+/g, '-')
      .slice(0, 60);
    const others = settings?.presets.llm.filter((preset) => preset.id !== id) ?? [];
    const preset = {
      id,
      name: model.trim(),
      settings: {
        provider: 'endpoint' as const,
        url: url.trim(),
        model: model.trim(),
        ...(apiKey.trim() !== '' && { apiKey: apiKey.trim() }),
      },
    };
    change.mutate({ presets: { llm: [...others, preset] }, active: { chat: id } });
  };
  return (
    <Confirm
      title={w.model.title}
      about={w.model.about}
      doLabel={w.common.save}
      isReady={model.trim() !== '' && url.trim() !== '' && settings !== undefined && !change.isPending}
      onDo={save}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Select<Provider>
          label={w.model.provider}
          value={provider}
          options={Object.entries(w.model.providers) as [Provider, string][]}
          onChoose={(next) => {
            setProvider(next);
            setUrl(ADDRESSES[next]);
          }}
        />
        <Field label={w.model.address}>
          <Input type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
        </Field>
        <Field label={w.model.name}>
          <Input
            placeholder="qwen3:8b"
            value={model}
            onChange={(event) => setModel(event.target.value)}
            spellCheck={false}
          />
        </Field>
        {provider === 'endpoint' && (
          <Field label={w.model.key} about={w.model.keyAbout}>
            <Input
              type="password"
              autoComplete="off"
              value={apiKey}
              onChange={(event) => setApiKey(event.target.value)}
            />
          </Field>
        )}
      </div>
    </Confirm>
  );
}
