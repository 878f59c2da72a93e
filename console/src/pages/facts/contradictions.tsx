/** Facts that probably contradict: same subject, predicate and time, different objects. */
import { Check } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { Remembered } from '../../ui/text.tsx';
import { useUnitChange } from '../../unit/useUnitChange.ts';
import { useFormat, useWords } from '../../words/words.tsx';
import { beginOf, type Fact } from './fact.ts';

interface ContradictionsProps {
  readonly facts: readonly Fact[];
  readonly onOpen: (fact: Fact) => void;
}

/** With more values the predicate is a list (likes, relatives) and there is no contradiction. */
const MAX_VALUES = 3;

/** Groups of currently valid facts with the same subject and predicate and different objects. */
function contradictionsIn(facts: readonly Fact[]): Fact[][] {
  const holding = facts.filter(({ payload, state }) => payload.validTo === null && state !== 'archived');
  const groups = Map.groupBy(holding, ({ payload }) => JSON.stringify([payload.subject, payload.predicate]));
  return [...groups.values()].filter((group) => {
    const values = new Set(group.map(({ payload }) => payload.object));
    return values.size > 1 && values.size <= MAX_VALUES;
  });
}

export function Contradictions({ facts, onOpen }: ContradictionsProps) {
  const w = useWords();
  const groups = contradictionsIn(facts);
  if (groups.length === 0) return null;
  return (
    <Section title={w.facts.contradictions} about={w.facts.contradictionsAbout}>
      <ul className="flex flex-col gap-4">
        {groups.map((group) => (
          <li key={group[0]?.id} className="rounded-xl border border-line bg-card p-4">
            <p className="mb-2 text-sm text-soft">
              {group[0]?.payload.subject} · {group[0]?.payload.predicate}
            </p>
            <div className="grid gap-4 sm:grid-cols-2">
              {group.map((fact) => (
                <OneSide
                  key={fact.id}
                  fact={fact}
                  others={group.filter(({ id }) => id !== fact.id)}
                  onOpen={onOpen}
                />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface OneSideProps {
  readonly fact: Fact;
  readonly others: readonly Fact[];
  readonly onOpen: (fact: Fact) => void;
}

function OneSide({ fact, others, onOpen }: OneSideProps) {
  const w = useWords();
  const f = useFormat();
  const { change } = useUnitChange();
  /** Ends the validity of the others when the chosen one began; none is deleted. */
  const choose = () => {
    for (const other of others)
      change.mutate({
        unit: other,
        body: {
          content: {
            kind: 'fact',
            payload: { ...other.payload, validTo: Math.max(beginOf(other) + 1, beginOf(fact)) },
          },
          reason: 'another fact holds',
        },
        told: w.facts.chosen,
      });
  };
  return (
    <div className="flex flex-col items-start gap-2 border-l-2 border-line pl-3">
      <button type="button" onClick={() => onOpen(fact)} className="text-left hover:text-accent">
        <Remembered text={fact.payload.object} />
        <span className="text-sm text-faint">{w.facts.toldOn(f.day(fact.occurredAt))}</span>
      </button>
      <Button icon={Check} disabled={change.isPending} onClick={choose}>
        {w.facts.holds}
      </Button>
    </div>
  );
}
