/** The details of a unit: text, evidence, versions, and actions. */
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Item } from '../api/api.ts';
import { unitQuery, type Unit } from '../api/queries.ts';
import { useMemoryId } from '../app/memory.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SourceLink } from '../ui/found.tsx';
import { Loaded } from '../ui/page.tsx';
import { Badge, Remembered, When } from '../ui/text.tsx';
import { useFormat, useWords } from '../words/words.tsx';
import { DerivedFrom } from './derivedFrom.tsx';
import { UnitActions } from './unitActions.tsx';
import { diffWords } from './diff.ts';
import { evidenceOf, unitText } from './unitText.ts';
import { useUnitChange } from './useUnitChange.ts';

const MAX_EVIDENCE = 30;

interface UnitSheetProps {
  readonly unitId: number | null;
  readonly onClose: () => void;
  /** Further sections, below. */
  readonly children?: ReactNode;
}

export function UnitSheet({ unitId, onClose, children }: UnitSheetProps) {
  const w = useWords();
  return (
    <Dialog isOpen={unitId !== null} onClose={onClose} title={w.unit.title} place="side">
      {unitId !== null && (
        <div className="flex flex-col gap-7">
          <UnitWhole unitId={unitId} onForgotten={onClose} />
          {children}
        </div>
      )}
    </Dialog>
  );
}

interface UnitWholeProps {
  readonly unitId: number;
  readonly onForgotten: () => void;
}

function UnitWhole({ unitId, onForgotten }: UnitWholeProps) {
  const memoryId = useMemoryId();
  const query = useQuery(unitQuery(memoryId, unitId));
  return (
    <Loaded query={query}>
      {(unit) => (
        <div className="flex flex-col gap-7">
          <div>
            <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
              <UnitBadges unit={unit} />
              <UnitActions unit={unit} onForgotten={onForgotten} />
            </div>
            <Remembered text={unitText(unit)} />
            {unit.kind === 'episode' && (
              <p className="mt-2 flex flex-wrap gap-3 text-sm text-faint">
                <span>{unit.payload.speaker}</span>
                <When at={unit.occurredAt} with="time" />
                <SourceLink {...unit.payload} />
              </p>
            )}
          </div>
          <Figures unit={unit} />
          {evidenceOf(unit).length > 0 && <Evidence unitIds={evidenceOf(unit)} />}
          {unit.kind === 'episode' && <DerivedFrom unitId={unit.id} />}
          <Versions unit={unit} />
        </div>
      )}
    </Loaded>
  );
}

export function UnitBadges({ unit }: { readonly unit: Unit }) {
  const w = useWords();
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Badge>{w.kinds[unit.kind]}</Badge>
      {unit.pinned && <Badge tone="accent">{w.unit.isPinned}</Badge>}
      {unit.state === 'archived' && <Badge tone="warn">{w.states.archived}</Badge>}
      {unit.sensitivity !== 'normal' && <Badge tone="warn">{w.sensitivities[unit.sensitivity]}</Badge>}
    </span>
  );
}

function Figures({ unit }: { readonly unit: Unit }) {
  const w = useWords();
  const f = useFormat();
  const figures = [
    [w.unit.confidence, f.percent(unit.confidence)],
    [w.unit.salience, f.percent(unit.salience)],
    [w.unit.recalled, f.number(unit.accessCount)],
    [w.unit.source, unit.source],
    [w.unit.learned, f.dateTime(unit.createdAt)],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:grid-cols-3">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt className="text-faint">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Evidence({ unitIds }: { readonly unitIds: readonly number[] }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const turns = useQueries({ queries: unitIds.slice(0, MAX_EVIDENCE).map((id) => unitQuery(memoryId, id)) });
  return (
    <section>
      <h3 className="mb-2 font-semibold">{w.unit.evidence}</h3>
      <ul className="flex flex-col gap-4">
        {turns.map(({ data: unit }) =>
          unit?.kind === 'episode' ? (
            <li key={unit.id} className="border-l-2 border-line pl-3">
              <Remembered text={unit.payload.text} lines={6} />
              <p className="mt-0.5 flex flex-wrap gap-3 text-sm text-faint">
                <span>{unit.payload.speaker}</span>
                <When at={unit.occurredAt} />
                <SourceLink {...unit.payload} />
              </p>
            </li>
          ) : null,
        )}
      </ul>
    </section>
  );
}

type Version = Item<'listUnitVersions'>;

function Versions({ unit }: { readonly unit: Unit }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'versions', unit.id, unit.version],
    queryFn: ({ signal }) => api.listUnitVersions({ memoryId, unitId: unit.id }, { signal }),
  });
  const { restore } = useUnitChange();
  const versions = query.data?.items ?? [];
  if (versions.length < 2) return null;
  return (
    <section>
      <h3 className="mb-2 font-semibold">{w.unit.versions}</h3>
      <ol className="flex flex-col gap-4">
        {versions.toReversed().map((version, i, all) => (
          <li key={version.version} className="text-sm">
            <div className="flex flex-wrap items-center gap-2 text-faint">
              <span className="tabular-nums">{w.unit.version(version.version)}</span>
              <When at={version.at} with="time" />
              <span>{version.reason}</span>
              {version.version !== unit.version && (
                <Button
                  look="quiet"
                  onClick={() => restore.mutate({ unitId: unit.id, version: version.version })}
                >
                  {w.unit.restore}
                </Button>
              )}
            </div>
            <Difference before={all[i + 1]} after={version} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function textOf({ snapshot }: Version): string {
  return unitText(snapshot as unknown as Unit);
}

const COMPARED = ['pinned', 'state', 'sensitivity', 'confidence', 'salience'] as const;

/** Describes a change of a unit in words. */
function useDescribed() {
  const w = useWords();
  const f = useFormat();
  return (name: (typeof COMPARED)[number], snapshot: Version['snapshot']): string => {
    const { pinned, state, sensitivity, confidence, salience } = snapshot as unknown as Unit;
    switch (name) {
      case 'pinned':
        return pinned ? w.common.yes : w.common.no;
      case 'state':
        return w.states[state];
      case 'sensitivity':
        return w.sensitivities[sensitivity];
      case 'confidence':
        return f.percent(confidence);
      case 'salience':
        return f.percent(salience);
    }
  };
}

function Difference({ before, after }: { readonly before: Version | undefined; readonly after: Version }) {
  const w = useWords();
  const describe = useDescribed();
  if (!before) return <Remembered text={textOf(after)} lines={3} className="text-soft" />;
  const changes = COMPARED.filter((name) => before.snapshot[name] !== after.snapshot[name]);
  const parts = diffWords(textOf(before), textOf(after));
  const isReworded = parts.some(({ side }) => side !== 'both');
  return (
    <div className="mt-1">
      {isReworded && (
        <p className="remembered">
          {parts.map(({ side, text }, i) =>
            side === 'both' ? (
              text
            ) : side === 'before' ? (
              // oxlint-disable-next-line react/no-array-index-key -- the pieces of a text have no id
              <del key={i} className="bg-bad-tint text-bad">
                {text}
              </del>
            ) : (
              // oxlint-disable-next-line react/no-array-index-key -- as above
              <ins key={i} className="bg-tint text-accent no-underline">
                {text}
              </ins>
            ),
          )}
        </p>
      )}
      {changes.map((name) => (
        <p key={name} className="text-soft">
          {w.unit.compared[name]}: {describe(name, before.snapshot)} → {describe(name, after.snapshot)}
        </p>
      ))}
    </div>
  );
}
