/** Deletes what no page shows as one item: a period, everything about a person, or everything. */
import { useState } from 'react';
import { Input } from '../ui/field.tsx';
import { Card } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useWords } from '../words/words.tsx';
import { ForgetButton } from './forgetButton.tsx';
import type { ForgetRequest } from './erased.ts';

type What = 'period' | 'person' | 'everything';
const DAY_MS = 86_400_000;

export function ForgetSome() {
  const w = useWords();
  const [what, setWhat] = useState<What>('period');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [person, setPerson] = useState('');
  const asked: Readonly<Record<What, { readonly request: ForgetRequest; readonly name: string } | null>> = {
    period:
      from === '' && to === ''
        ? null
        : {
            request: {
              period: { ...(from !== '' && { from }), ...(to !== '' && { to: dayAfter(to) }) },
            },
            name: `${from} – ${to}`,
          },
    person: person.trim() === '' ? null : { request: { person: person.trim() }, name: person.trim() },
    everything: { request: { everything: true }, name: w.forgetting.everything },
  };
  const chosen = asked[what];
  const about = {
    period: w.forgetting.periodAbout,
    person: w.forgetting.personAbout,
    everything: w.forgetting.everythingAbout,
  }[what];
  return (
    <Card className="flex flex-col items-start gap-3 p-5">
      <h2 className="font-semibold">{w.forgetting.forget}</h2>
      <Tabs
        label={w.forgetting.forget}
        tabs={[
          ['period', w.forgetting.period],
          ['person', w.forgetting.person],
          ['everything', w.forgetting.everything],
        ]}
        chosen={what}
        onChoose={setWhat}
      />
      <p className="text-[0.93rem] text-soft">{about}</p>
      {what === 'period' && (
        <div className="flex flex-wrap gap-3 text-sm text-soft">
          <label className="flex items-center gap-1.5 whitespace-nowrap">
            {w.memories.from}
            <Input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
          </label>
          <label className="flex items-center gap-1.5 whitespace-nowrap">
            {w.memories.to}
            <Input type="date" value={to} onChange={(event) => setTo(event.target.value)} />
          </label>
        </div>
      )}
      {what === 'person' && (
        <Input
          aria-label={w.people.name}
          placeholder={w.people.name}
          value={person}
          onChange={(event) => setPerson(event.target.value)}
        />
      )}
      {chosen && <ForgetButton key={JSON.stringify(chosen.request)} {...chosen} />}
    </Card>
  );
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}
