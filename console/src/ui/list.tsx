/** A virtual list: only visible rows are rendered, and more are loaded on scrolling. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useWords } from '../words/words.tsx';

interface LongListProps<One> {
  readonly items: readonly One[];
  readonly keyOf: (item: One) => string | number;
  readonly render: (item: One) => ReactNode;
  readonly label: string;
  /** Estimated height in pixels; each row is measured when it is shown. */
  readonly rowHeight: number;
  readonly hasMore: boolean;
  readonly readMore: () => void;
}

const OVERSCAN = 8;

export function LongList<One>(props: LongListProps<One>) {
  const { items, keyOf, render, label, rowHeight, hasMore, readMore } = props;
  const w = useWords();
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (i) => (items[i] === undefined ? i : keyOf(items[i])),
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= items.length - OVERSCAN) readMore();
  }, [hasMore, last, items.length, readMore]);
  return (
    <div ref={list}>
      <div role="list" aria-label={label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, start, key }) => {
          const item = items[index];
          return item === undefined ? null : (
            <div
              key={key}
              role="listitem"
              data-index={index}
              ref={virtualizer.measureElement}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {render(item)}
            </div>
          );
        })}
      </div>
      {!hasMore && items.length > OVERSCAN && (
        <p className="py-6 text-center text-sm text-faint">{w.common.end}</p>
      )}
    </div>
  );
}
