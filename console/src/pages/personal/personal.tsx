import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pencil, ShieldCheck } from 'lucide-react';
import { useRef } from 'react';
import { api } from '../../api/api.ts';
import { listQuery, policyQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { SourceLink } from '../../ui/found.tsx';
import { MoreButton } from '../../ui/moreButton.tsx';
import { Empty, Failed, Loading, Page, Section } from '../../ui/page.tsx';
import { Badge, When } from '../../ui/text.tsx';
import { useWords } from '../../words/words.tsx';
import { CorrectMasks } from './correctMasks.tsx';
import { kindOptions, type Finding } from './finding.ts';
import { MaskedText } from './maskedText.tsx';
import { Missed } from './missed.tsx';
import { PolicyChoice } from './policy.tsx';

const route = getRouteApi('/m/$memoryId/personal');
const LEVELS = ['private', 'secret'] as const;

export default function PersonalPage() {
  const w = useWords();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/personal' });
  const set = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: { ...search, ...next }, replace: true, resetScroll: false });
  const kindRef = useRef<HTMLSelectElement>(null);
  const kinds = kindOptions(w.personal.kinds);
  const found = kinds.find(([kind]) => kind === search.found)?.[0];
  const level = LEVELS.find((one) => one === search.level);
  const open = (unitId: number) => set({ unit: String(unitId) });
  return (
    <Page {...w.pages.personal}>
      <PolicyChoice />
      <Section
        title={w.personal.foundTitle}
        about={w.personal.foundAbout}
        actions={
          <div className="flex flex-wrap gap-2">
            <Select
              ref={kindRef}
              label={w.personal.kind}
              value={found ?? ''}
              options={[['', w.personal.anyKind] as const, ...kinds]}
              onChoose={(kind) => set({ found: kind === '' ? undefined : kind })}
            />
            <Select
              label={w.personal.level}
              value={level ?? ''}
              options={[
                ['', w.personal.anyLevel] as const,
                ...LEVELS.map((one) => [one, w.sensitivities[one]] as const),
              ]}
              onChoose={(one) => set({ level: one === '' ? undefined : one })}
            />
          </div>
        }
      >
        <Findings
          found={found}
          level={level}
          onCorrect={open}
          onShowAll={() => {
            set({ found: undefined, level: undefined });
            // The button that has the focus disappears.
            kindRef.current?.focus();
          }}
        />
      </Section>
      <Missed onOpen={open} />
      {search.unit !== undefined && (
        <CorrectMasks
          key={search.unit}
          unitId={Number(search.unit)}
          onClose={() => set({ unit: undefined })}
        />
      )}
    </Page>
  );
}

interface FindingsProps {
  readonly found: Finding['places'][number]['kind'] | undefined;
  readonly level: (typeof LEVELS)[number] | undefined;
  readonly onCorrect: (unitId: number) => void;
  readonly onShowAll: () => void;
}

function Findings({ found, level, onCorrect, onShowAll }: FindingsProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const asked = { limit: 50, ...(found && { found }), ...(level && { level }) };
  const query = useInfiniteQuery(
    listQuery([memoryId, 'sensitive', asked], (cursor, signal) =>
      api.listSensitive(
        { memoryId, query: { ...asked, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    ),
  );
  const policy = useQuery(policyQuery(memoryId)).data?.policy;
  const findings = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (query.isPending) return <Loading />;
  if (query.error) return <Failed error={query.error} retry={query.refetch} />;
  if (findings.length === 0)
    return found || level ? (
      <Empty icon={ShieldCheck} title={w.personal.emptyFiltered}>
        <Button onClick={onShowAll}>{w.personal.showAll}</Button>
      </Empty>
    ) : (
      <Empty icon={ShieldCheck} title={w.personal.empty}>
        {policy === 'off' ? w.personal.emptyOff : w.personal.emptyAbout}
      </Empty>
    );
  return (
    <>
      <ul aria-label={w.personal.foundTitle}>
        {findings.map((finding) => (
          <FindingRow key={finding.unitId} finding={finding} onCorrect={() => onCorrect(finding.unitId)} />
        ))}
      </ul>
      <MoreButton query={query} />
    </>
  );
}

function FindingRow({ finding, onCorrect }: { readonly finding: Finding; readonly onCorrect: () => void }) {
  const w = useWords();
  const { kind, speaker, uri, occurredAt, sensitivity, isMasked, places } = finding;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line py-4">
      <div className="min-w-0 flex-1 basis-80">
        <MaskedText finding={finding} />
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
          <span className="flex flex-wrap gap-1.5">
            <Badge tone="warn">{w.sensitivities[sensitivity]}</Badge>
            {!isMasked && places.length > 0 && <Badge tone="bad">{w.personal.notMasked}</Badge>}
          </span>
          <span>{speaker ?? uri ?? w.kinds[kind]}</span>
          <When at={occurredAt} />
          <SourceLink conversationId={finding.conversationId} turnIndex={finding.turnIndex} />
        </p>
      </div>
      <Button icon={Pencil} onClick={onCorrect}>
        {w.personal.correct}
      </Button>
    </li>
  );
}
