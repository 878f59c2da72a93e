import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Item } from '../../api/api.ts';
import { Input } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

type Use = Item<'readModelUsage'>;

const MILLION = 1_000_000;
const KEY = 'omoide-prices';

interface Prices {
  readonly input: string;
  readonly output: string;
}

/** Stored in this browser only. */
function readPrices(): Prices {
  const [input = '', output = ''] = (localStorage.getItem(KEY) ?? '').split('/');
  return { input, output };
}

export function Usage() {
  const w = useWords();
  const query = useQuery({
    queryKey: ['server', 'usage'],
    queryFn: ({ signal }) => api.readModelUsage({ query: { days: 30 } }, { signal }),
  });
  const [prices, setPrices] = useState(readPrices);
  const set = (next: Prices) => {
    localStorage.setItem(KEY, `${next.input}/${next.output}`);
    setPrices(next);
  };
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="text-soft">{w.operate.usageNone}</p>
        ) : (
          <>
            <fieldset className="mb-5 flex flex-wrap items-center gap-2 text-sm text-soft">
              <legend className="mb-1">{w.operate.prices}</legend>
              {(['input', 'output'] as const).map((which) => (
                <Input
                  key={which}
                  type="number"
                  min={0}
                  step="any"
                  aria-label={w.operate[which]}
                  placeholder={w.operate[which]}
                  value={prices[which]}
                  onChange={(event) => set({ ...prices, [which]: event.target.value })}
                  className="w-40"
                />
              ))}
            </fieldset>
            <UseTable items={items} prices={prices} />
          </>
        )
      }
    </Loaded>
  );
}

/** One row for each month, purpose and model. */
function UseTable({ items, prices }: { readonly items: readonly Use[]; readonly prices: Prices }) {
  const w = useWords();
  const f = useFormat();
  const isPriced = prices.input !== '' || prices.output !== '';
  const groups = Map.groupBy(items, ({ purpose, model }) => `${purpose} ${model}`);
  const rows = Array.from(groups, ([key, uses]) => {
    const sum = (name: 'calls' | 'failed' | 'inputTokens' | 'outputTokens') =>
      uses.reduce((all, use) => all + use[name], 0);
    const [input, output] = [sum('inputTokens'), sum('outputTokens')];
    const cost = (input * Number(prices.input) + output * Number(prices.output)) / MILLION;
    return {
      key,
      cells: [
        uses[0]?.purpose,
        uses[0]?.model,
        sum('failed') === 0
          ? f.number(sum('calls'))
          : `${f.number(sum('calls'))} (${f.number(sum('failed'))} ${w.operate.failed})`,
        f.number(input),
        f.number(output),
        isPriced ? cost.toFixed(3) : '–',
      ],
    };
  });
  return (
    <Table
      heads={[
        w.operate.purpose,
        w.operate.model,
        w.operate.calls,
        w.operate.input,
        w.operate.output,
        w.operate.cost,
      ]}
      figuresFrom={2}
      rows={rows}
    />
  );
}
