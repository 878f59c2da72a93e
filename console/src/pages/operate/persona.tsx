import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery, useSettingsChange, type Settings } from '../../api/settingsQuery.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select, Textarea } from '../../ui/field.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';

type Which = 'persona' | 'contract';

export function Personas() {
  const w = useWords();
  const query = useQuery(settingsQuery);
  return (
    <>
      <p className="mb-6 text-soft">{w.operate.personaAbout}</p>
      <Loaded query={query}>
        {(settings) => (
          <div className="grid gap-x-8 lg:grid-cols-2">
            {(['persona', 'contract'] as const).map((which) => (
              <Section key={which} title={w.operate[which]}>
                <TextPreset key={settings.active[which] ?? ''} which={which} settings={settings} />
              </Section>
            ))}
          </div>
        )}
      </Loaded>
    </>
  );
}

const NEW = '';

function TextPreset({ which, settings }: { readonly which: Which; readonly settings: Settings }) {
  const w = useWords();
  const presets = settings.presets[which];
  const active = presets.find(({ id }) => id === settings.active[which]);
  const [name, setName] = useState(active?.name ?? '');
  const [text, setText] = useState(active?.text ?? '');
  const change = useSettingsChange(w.operate.personaSaved);
  const save = () => {
    const id = active?.id ?? `${which}-${Date.now().toString(36)}`;
    const preset = { id, name: name.trim() === '' ? w.operate[which] : name.trim(), text };
    change.mutate({
      presets: { [which]: [...presets.filter((one) => one.id !== id), preset] },
      active: { [which]: id },
    });
  };
  return (
    <div className="flex flex-col gap-3">
      {presets.length > 0 && (
        <Select
          label={w.operate.preset}
          value={active?.id ?? NEW}
          options={[
            ...presets.map((one) => [one.id, one.name] as const),
            [NEW, w.operate.newPreset] as const,
          ]}
          onChoose={(id) => change.mutate({ active: { [which]: id === NEW ? null : id } })}
        />
      )}
      <Input
        aria-label={w.operate.presetName}
        placeholder={w.operate.presetName}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Textarea
        aria-label={w.operate[which]}
        lang={languageOf(text)}
        rows={10}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="remembered"
      />
      <div className="flex justify-end">
        <Button look="primary" disabled={text.trim() === '' || change.isPending} onClick={save}>
          {w.common.save}
        </Button>
      </div>
    </div>
  );
}
