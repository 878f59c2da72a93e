import { clsx } from 'clsx';
import type { ReactNode } from 'react';

interface TableProps {
  readonly heads: readonly string[];
  /** Columns from this one on contain numbers and are right-aligned. */
  readonly figuresFrom?: number;
  readonly rows: readonly { readonly key: string | number; readonly cells: readonly ReactNode[] }[];
}

export function Table({ heads, figuresFrom = Infinity, rows }: TableProps) {
  const align = (i: number) => (i >= figuresFrom ? 'text-right tabular-nums' : 'text-left');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- makes a wide table scrollable by keyboard
    <div className="overflow-x-auto" role="region" tabIndex={0} aria-label={heads.join(', ')}>
      <table className="w-full text-sm [overflow-wrap:normal]">
        <thead className="text-faint">
          <tr>
            {heads.map((head, i) => (
              <th
                key={head}
                scope="col"
                className={clsx('py-1.5 pr-4 font-normal whitespace-nowrap', align(i))}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} className="border-t border-line align-baseline">
              {cells.map((cell, i) => (
                <td key={heads[i]} className={clsx('py-2 pr-4', align(i))}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
