import { Link } from '@tanstack/react-router';
import { buttonClass } from '../ui/button.tsx';
import { Failed } from '../ui/page.tsx';
import { useWords } from '../words/words.tsx';

export function NotFound() {
  const w = useWords();
  return (
    <main className="mx-auto max-w-md px-4 py-24 text-center">
      <h1 className="font-serif text-2xl">{w.shell.noPage}</h1>
      <p className="mt-2 mb-6 text-soft">{w.shell.noPageAbout}</p>
      <Link to="/" className={buttonClass('primary')}>
        {w.shell.toStart}
      </Link>
    </main>
  );
}

export function RouteFailed({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <div className="mx-auto max-w-xl px-4 py-24">
      <Failed error={error} retry={reset} />
    </div>
  );
}
