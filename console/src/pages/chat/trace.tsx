/** Explains an answer: candidates, scores, injected and withheld hits, and the time of each stage. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Answer } from '../../api/api.ts';
import { unitQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { SourceLink, type Hit } from '../../ui/found.tsx';
import { Loading, Section } from '../../ui/page.tsx';
import { Badge, Remembered, When } from '../../ui/text.tsx';
import { UnitActions } from '../../unit/unitActions.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { BudgetBar } from './budgetBar.tsx';
import { Latency } from './latency.tsx';
import { Verdicts } from './verdicts.tsx';
import type { Exchange } from './useExchanges.ts';
import { WhatIf } from './whatIf.tsx';

type Pack = Answer<'pack'>;
type Recalled = Pack['recall'];

interface TracePanelProps {
  readonly exchange: Exchange;
  readonly onOpenUnit: (unitId: number) => void;
}

export function TracePanel({ exchange, onOpenUnit }: TracePanelProps) {
  const w = useWords();
  const { pack, isWaiting } = exchange;
  return (
    <div data-testid="trace">
      {!pack && isWaiting && <Loading lines={8} />}
      {pack && (
        <>
          <BudgetBar pack={pack} />
          <Section title={w.trace.title} about={summary(pack.recall, w)}>
            <Recent exchange={exchange} />
            <HitList pack={pack} exchange={exchange} onOpenUnit={onOpenUnit} />
          </Section>
          <Section title={w.trace.speed}>
            <Latency
              breakdown={pack.recall.metadata.breakdown}
              totalMs={pack.recall.metadata.totalLatencyMs}
            />
          </Section>
          <WhatIf exchange={exchange} now={pack.recall} />
        </>
      )}
    </div>
  );
}

function summary({ metadata, inject }: Recalled, w: ReturnType<typeof useWords>): string {
  return `${w.trace.counts(metadata.candidatesBefore, metadata.candidatesAfter)} ${inject ? w.trace.sure : w.trace.unsure}`;
}

/** The lines of the conversation that are in the prompt anyway. */
function Recent({ exchange: { recentUnitIds } }: { readonly exchange: Exchange }) {
  const w = useWords();
  // The last one is the utterance.
  const before = recentUnitIds.length - 1;
  return before > 0 ? <p className="mb-3 text-sm text-soft">{w.trace.recent(before)}</p> : null;
}

interface HitListProps {
  readonly pack: Pack;
  readonly exchange: Exchange;
  readonly onOpenUnit: (unitId: number) => void;
}

function HitList({ pack, exchange, onOpenUnit }: HitListProps) {
  const w = useWords();
  const packed = useMemo(() => new Set(pack.sections.flatMap(({ unitIds }) => unitIds)), [pack]);
  if (pack.recall.hits.length === 0) return <p className="text-soft">{w.start.nothing}</p>;
  return (
    <ol className="flex flex-col gap-3">
      {pack.recall.hits.map((hit) => (
        <li key={hit.unitId}>
          <HitRow
            hit={hit}
            verdict={verdictOf(hit, pack, packed)}
            exchange={exchange}
            onOpen={() => onOpenUnit(hit.unitId)}
          />
        </li>
      ))}
    </ol>
  );
}

type Verdict = 'injected' | 'unsure' | 'low' | 'noRoom' | 'neighbour';

function verdictOf(hit: Hit, { recall, sections }: Pack, packed: ReadonlySet<number>): Verdict {
  if (packed.has(hit.unitId)) return 'injected';
  if (hit.relevance === 'low') return 'low';
  if (!recall.inject) return 'unsure';
  return sections.some(({ shown, available }) => shown < available) ? 'noRoom' : 'neighbour';
}

interface HitRowProps {
  readonly hit: Hit;
  readonly verdict: Verdict;
  readonly exchange: Exchange;
  readonly onOpen: () => void;
}

function HitRow({ hit, verdict, exchange, onOpen }: HitRowProps) {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const [isOpen, setIsOpen] = useState(false);
  const { data: unit } = useQuery({
    ...unitQuery(memoryId, hit.unitId),
    enabled: isOpen || verdict === 'injected',
  });
  return (
    <article
      className={`rounded-xl border px-4 py-3 ${verdict === 'injected' ? 'border-accent/50 bg-card' : 'border-line'}`}
    >
      <div className="mb-1 flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={verdict === 'injected' ? 'accent' : 'plain'}>{w.trace.verdicts[verdict]}</Badge>
        {hit.kind === 'episode' ? (
          <span className="text-faint">{hit.speaker}</span>
        ) : (
          <Badge>{w.kinds[hit.kind]}</Badge>
        )}
        <span className="text-faint">
          <When at={hit.occurredAt} />
        </span>
        <span className="ml-auto text-faint tabular-nums" title={w.trace.score}>
          {f.score(hit.score)}
        </span>
      </div>
      <Remembered text={hit.text} lines={3} />
      <p className="mt-1 text-sm text-soft">{hit.why.sentence}</p>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          className="text-accent underline-offset-4 hover:underline"
          onClick={() => setIsOpen(!isOpen)}
        >
          {w.trace.how}
        </button>
        <SourceLink conversationId={hit.conversationId} turnIndex={hit.turnIndex} />
        <button type="button" className="text-accent underline-offset-4 hover:underline" onClick={onOpen}>
          {w.trace.open}
        </button>
        <span className="ml-auto flex flex-wrap items-center">
          <Verdicts hit={hit} exchange={exchange} />
          {unit && <UnitActions unit={unit} />}
        </span>
      </div>
      {isOpen && (
        <div className="mt-3 border-t border-line pt-3">
          <Contributions hit={hit} />
        </div>
      )}
    </article>
  );
}

const MAX_CONTRIBUTIONS = 8;

function Contributions({ hit }: { readonly hit: Hit }) {
  const w = useWords();
  const f = useFormat();
  const shown = hit.why.contributions
    .filter(({ contribution }) => Math.abs(contribution) >= 0.005)
    .toSorted((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
    .slice(0, MAX_CONTRIBUTIONS);
  const max = Math.max(...shown.map(({ contribution }) => Math.abs(contribution)), 0.01);
  const names: Readonly<Record<string, string>> = w.trace.features;
  return (
    <table className="w-full text-sm">
      <tbody>
        {shown.map(({ feature, contribution }) => (
          <tr key={feature}>
            <th scope="row" className="py-0.5 pr-3 text-left font-normal text-soft">
              {names[feature] ?? feature}
            </th>
            <td className="w-2/5">
              <span
                className={`block h-1.5 rounded-full ${contribution > 0 ? 'bg-accent' : 'bg-warn'}`}
                style={{ width: `${(100 * Math.abs(contribution)) / max}%` }}
              />
            </td>
            <td className="w-14 text-right tabular-nums">
              {contribution > 0 ? '+' : '−'}
              {f.score(Math.abs(contribution))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
