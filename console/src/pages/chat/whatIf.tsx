/** Recalls the same utterance with another profile or embedder, or as of an earlier time, next to the current result. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../../api/api.ts';
import { settingsQuery } from '../../api/settingsQuery.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { Badge, Remembered } from '../../ui/text.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import type { Exchange } from './useExchanges.ts';

type Recalled = Answer<'pack'>['recall'];
type Profile = '' | 'fast' | 'salience' | 'associative' | 'weighted';

/** The changed settings; empty: none. */
interface Otherwise {
  readonly profile: Profile;
  readonly asOf: string;
  /** `words`, `bundled`, `static` or a preset's id. */
  readonly embedder: string;
}
const SAME: Otherwise = { profile: '', asOf: '', embedder: '' };
const LOCAL: readonly string[] = ['', 'words', 'bundled', 'static'];

interface WhatIfProps {
  readonly exchange: Exchange;
  readonly now: Recalled;
}

export function WhatIf({ exchange, now }: WhatIfProps) {
  const w = useWords();
  const [chosen, setChosen] = useState(SAME);
  const [agreed, setAgreed] = useState<readonly string[]>(LOCAL);
  const isOther = Object.values(chosen).some((value) => value !== '');
  return (
    <Section title={w.trace.whatIf} about={w.trace.whatIfAbout}>
      <div className="flex flex-wrap gap-2">
        <Select<Profile>
          label={w.trace.profile}
          value={chosen.profile}
          options={[
            ['', w.trace.profiles.conversation],
            ['fast', w.trace.profiles.fast],
            ['salience', w.trace.profiles.salience],
            ['associative', w.trace.profiles.associative],
            ['weighted', w.trace.profiles.weighted],
          ]}
          onChoose={(profile) => setChosen({ ...chosen, profile })}
        />
        <EmbedderSelect value={chosen.embedder} onChoose={(embedder) => setChosen({ ...chosen, embedder })} />
        <Input
          type="date"
          aria-label={w.trace.asOf}
          value={chosen.asOf}
          onChange={(event) => setChosen({ ...chosen, asOf: event.target.value })}
          className="w-auto"
        />
      </div>
      {isOther && !agreed.includes(chosen.embedder) ? (
        <div className="mt-3 flex flex-col items-start gap-2 text-sm text-soft">
          <p>{w.trace.sendsTexts}</p>
          <Button onClick={() => setAgreed([...agreed, chosen.embedder])}>{w.trace.compare}</Button>
        </div>
      ) : (
        isOther && <Compared exchange={exchange} chosen={chosen} now={now} />
      )}
    </Section>
  );
}

interface EmbedderSelectProps {
  readonly value: string;
  readonly onChoose: (embedder: string) => void;
}

/** Only for users who may see the settings: a trial uses models of the server. */
function EmbedderSelect({ value, onChoose }: EmbedderSelectProps) {
  const w = useWords();
  const { data: settings } = useQuery(settingsQuery);
  if (!settings) return null;
  const presets = settings.presets.embedding.map(({ id, name }) => [id, name] as const);
  return (
    <Select
      label={w.trace.embedder}
      value={value}
      options={[
        ['', w.trace.embedders.current],
        ['words', w.trace.embedders.words],
        ['bundled', w.trace.embedders.bundled],
        ['static', w.trace.embedders.static],
        ...presets,
      ]}
      onChoose={onChoose}
    />
  );
}

interface ComparedProps extends WhatIfProps {
  readonly chosen: Otherwise;
}

const COMPARED = 8;
const PACK_HITS = 20;
const NO_BUDGET = 1_000_000;
const ASK_AGAIN_MS = 100;

/** The recall under other settings. Does not count as an access. */
function useRecalled(exchange: Exchange, chosen: Otherwise) {
  const memoryId = useMemoryId();
  const { text, context, saidAt, reply, recentUnitIds } = exchange;
  const { profile, asOf, embedder } = chosen;
  // The chat's own turns are stored: exclude them and everything later.
  const to = reply === null ? null : new Date(saidAt).toISOString();
  const body = {
    utterance: text,
    context: [...context],
    exceptUnitIds: [...recentUnitIds],
    // The kinds that a pack recalls.
    kinds: ['episode' as const, 'fact' as const, 'loop' as const, 'note' as const, 'summary' as const],
    limit: PACK_HITS,
    budgetTokens: NO_BUDGET,
    ...(to !== null && { to }),
    ...(profile !== '' && { profile }),
    ...(asOf !== '' && { asOf, now: asOf }),
  };
  return useQuery({
    queryKey: [memoryId, 'whatIf', body, embedder],
    queryFn: async ({ signal }): Promise<Answer<'tryRecall'>> => {
      if (embedder !== '') return api.tryRecall({ memoryId, body: { ...body, embedder } }, { signal });
      const recall = await api.explain({ memoryId, body }, { signal });
      return { made: 0, needed: 0, isWhole: true, recall };
    },
    // The other embedder's vectors are created during the request.
    refetchInterval: ({ state }) => state.data?.recall === null && state.error === null && ASK_AGAIN_MS,
    staleTime: Infinity,
  });
}

function Compared({ exchange, chosen, now }: ComparedProps) {
  return (
    <Loaded query={useRecalled(exchange, chosen)}>
      {({ recall, made, needed, isWhole }) =>
        recall === null ? (
          <Making made={made} needed={needed} />
        ) : (
          <SideBySide now={now} then={recall} isWhole={isWhole} />
        )
      }
    </Loaded>
  );
}

function Making({ made, needed }: { readonly made: number; readonly needed: number }) {
  const w = useWords();
  const f = useFormat();
  return (
    <div role="status" className="mt-4 text-sm text-soft">
      <p>{w.trace.makingVectors(f.number(made), f.number(needed))}</p>
      <progress
        aria-label={w.trace.embedder}
        value={made}
        max={Math.max(1, needed)}
        className="mt-1 w-full accent-accent"
      />
    </div>
  );
}

interface SideBySideProps {
  readonly now: Recalled;
  readonly then: Recalled;
  readonly isWhole: boolean;
}

function SideBySide({ now, then, isWhole }: SideBySideProps) {
  const w = useWords();
  const sides = [
    [w.trace.asItIs, now, then],
    [w.trace.otherwise, then, now],
  ] as const;
  return (
    <>
      {!isWhole && <p className="mt-3 text-sm text-warn">{w.trace.notWhole}</p>}
      <div className="mt-4 grid gap-4 sm:grid-cols-2">
        {sides.map(([title, answer, against]) => (
          <div key={title}>
            <h3 className="mb-2 text-sm font-medium text-soft">
              {title} · {answer.inject ? w.trace.verdicts.injected : w.trace.verdicts.unsure}
            </h3>
            <ol className="flex flex-col gap-2">
              {answer.hits.slice(0, COMPARED).map((hit) => (
                <li key={hit.unitId} className="border-l-2 border-line pl-3 text-sm">
                  {!against.hits.some(({ unitId }) => unitId === hit.unitId) && (
                    <Badge tone="accent">{w.trace.onlyHere}</Badge>
                  )}
                  <Remembered text={hit.text} lines={2} className="text-[0.95rem]" />
                </li>
              ))}
              {answer.hits.length === 0 && <li className="text-sm text-soft">{w.start.nothing}</li>}
            </ol>
          </div>
        ))}
      </div>
    </>
  );
}
