/** The operations of a reorganisation, in words. */
import { useQueries } from '@tanstack/react-query';
import { api, type Item } from '../../api/api.ts';
import { unitQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Badge, Remembered } from '../../ui/text.tsx';
import { unitText } from '../../unit/unitText.ts';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';

type Plan = Item<'listJournal'>['plan'];
type Operation = Plan['operations'][number];

/** Longer lists are shown as a number. */
const MAX_UNITS = 8;

export function PlanDiff({ plan }: { readonly plan: Plan }) {
  const w = useWords();
  if (plan.operations.length === 0) return <p className="text-sm text-soft">{w.diff.empty}</p>;
  return (
    <ul className="flex flex-col gap-4">
      {plan.operations.map((operation) => (
        <li key={JSON.stringify(operation)} className="border-l-2 border-line pl-4">
          <p className="mb-1">
            <Badge>{w.diff[operation.type]}</Badge>
          </p>
          <OperationBody operation={operation} />
          <p lang={languageOf(operation.reason)} className="mt-1 text-sm text-faint">
            {operation.reason}
          </p>
        </li>
      ))}
    </ul>
  );
}

function OperationBody({ operation }: { readonly operation: Operation }) {
  const w = useWords();
  switch (operation.type) {
    case 'split':
      return (
        <Pair
          before={<TopicNames ids={[operation.topicId]} />}
          after={operation.into.map(({ title, unitIds }) => (
            <li key={title} lang={languageOf(title)}>
              {title} <span className="text-sm text-faint">{w.diff.units(unitIds.length)}</span>
            </li>
          ))}
        />
      );
    case 'merge':
      return (
        <Pair
          before={<TopicNames ids={operation.topicIds} />}
          after={
            operation.rename ? <li>{operation.rename.title}</li> : <TopicNames ids={[operation.intoId]} />
          }
        />
      );
    case 'parent':
      return (
        <Pair
          before={<TopicNames ids={operation.childIds} />}
          after={
            'topicId' in operation.parent ? (
              <TopicNames ids={[operation.parent.topicId]} />
            ) : (
              <li>{operation.parent.title}</li>
            )
          }
        />
      );
    case 'mergeUnits':
      return (
        <Pair before={<UnitTexts ids={operation.unitIds} />} after={<UnitTexts ids={[operation.intoId]} />} />
      );
    case 'archiveUnits':
      return (
        <ul className="flex flex-col gap-1">
          <UnitTexts ids={operation.unitIds} />
        </ul>
      );
  }
}

/** The old value struck through, and the new one. */
function Pair({ before, after }: { readonly before: React.ReactNode; readonly after: React.ReactNode }) {
  return (
    <div className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
      <ul className="flex flex-col gap-1 rounded-lg bg-bad-tint px-3 py-2">{before}</ul>
      <ul className="flex flex-col gap-1 rounded-lg bg-tint px-3 py-2">{after}</ul>
    </div>
  );
}

function TopicNames({ ids }: { readonly ids: readonly number[] }) {
  const memoryId = useMemoryId();
  const topics = useQueries({
    queries: ids.map((topicId) => ({
      queryKey: [memoryId, 'topic', topicId],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.readTopic({ memoryId, topicId }, { signal }),
    })),
  });
  return ids.map((id, i) => {
    const title = topics[i]?.data?.title ?? `#${id}`;
    return (
      <li key={id} lang={languageOf(title)}>
        {title}
      </li>
    );
  });
}

function UnitTexts({ ids }: { readonly ids: readonly number[] }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const shown = ids.slice(0, MAX_UNITS);
  const units = useQueries({ queries: shown.map((id) => unitQuery(memoryId, id)) });
  return (
    <>
      {shown.map((id, i) => {
        const unit = units[i]?.data;
        return (
          <li key={id}>
            <Remembered text={unit ? unitText(unit) : `#${id}`} lines={2} className="text-base" />
          </li>
        );
      })}
      {ids.length > shown.length && (
        <li className="text-sm text-faint">+ {w.diff.units(ids.length - shown.length)}</li>
      )}
    </>
  );
}
