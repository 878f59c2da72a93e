import { clsx } from 'clsx';

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [Id, string])[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

/** The tabs of a page. */
export function Tabs<Id extends string>({ label, tabs, chosen, onChoose }: TabsProps<Id>) {
  return (
    <div role="group" aria-label={label} className="mb-6 flex flex-wrap gap-1 border-b border-line pb-2">
      {tabs.map(([id, text]) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
          className={clsx(
            'rounded-lg px-3 py-1.5 text-[0.93rem]',
            id === chosen ? 'bg-tint font-medium text-accent' : 'text-soft hover:bg-sunken hover:text-ink',
          )}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
