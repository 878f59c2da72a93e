import { clsx } from 'clsx';
import { RefreshCw, type LucideIcon } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { explainError } from '../words/errors.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';

interface PageProps {
  readonly title: string;
  /** One line that says what the page is for. */
  readonly purpose: string;
  readonly actions?: ReactNode;
  /** `wide`: for tables and maps; else a width suitable for reading. */
  readonly width?: 'text' | 'wide';
  readonly children: ReactNode;
}

export function Page({ title, purpose, actions, width = 'text', children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Omoide`;
  }, [title]);
  return (
    <div
      className={clsx(
        'mx-auto w-full px-4 pt-6 pb-24 sm:px-8 sm:pt-10',
        width === 'text' ? 'max-w-4xl' : 'max-w-7xl',
      )}
    >
      <header className="mb-7 flex flex-wrap items-end gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="font-serif text-[1.7rem] leading-tight font-semibold tracking-tight">{title}</h1>
          <p className="mt-1.5 text-soft">{purpose}</p>
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** An empty state, and what to do about it. */
export function Empty({
  icon: Icon,
  title,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-2xl border border-dashed border-line px-6 py-14 text-center">
      <Icon size={26} strokeWidth={1.25} className="text-faint" aria-hidden />
      <p className="font-medium">{title}</p>
      <div className="max-w-md text-sm text-balance text-soft">{children}</div>
    </div>
  );
}

/** A failed request; never shown as an empty list. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => unknown }) {
  const w = useWords();
  return (
    <div role="alert" className="rounded-xl border border-bad/40 bg-bad-tint px-4 py-3 text-sm">
      <p className="font-medium text-bad">{w.common.failed}</p>
      <p className="mt-0.5">{explainError(error, w)}</p>
      {retry && (
        <Button className="mt-3" icon={RefreshCw} onClick={() => void retry()}>
          {w.common.tryAgain}
        </Button>
      )}
    </div>
  );
}

export function Loading({ lines = 4 }: { readonly lines?: number }) {
  const w = useWords();
  return (
    <div role="status" aria-label={w.common.loading} className="breathing flex flex-col gap-3 py-2">
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} className={clsx('h-4 rounded bg-sunken', ['w-11/12', 'w-3/4', 'w-5/6'][i % 3])} />
      ))}
    </div>
  );
}

interface QueryState<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** The data, a loading state, or an error. */
export function Loaded<Data>({
  query,
  lines,
  children,
}: {
  readonly query: QueryState<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data === undefined && error === null) return <Loading {...(lines !== undefined && { lines })} />;
  return (
    <>
      {error !== null && <Failed error={error} retry={refetch} />}
      {data !== undefined && children(data)}
    </>
  );
}

export function Section({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="mb-10">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="text-base font-semibold">{title}</h2>
          {about !== undefined && <p className="text-sm text-soft">{about}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function Card({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return <div className={clsx('rounded-xl border border-line bg-card p-4', className)}>{children}</div>;
}
