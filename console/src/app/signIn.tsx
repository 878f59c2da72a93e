import { useEffect, useState, type ReactNode } from 'react';
import { api, ProblemError, queryClient } from '../api/api.ts';
import { takeCode, useToken, writeToken } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { explainError } from '../words/errors.ts';
import { useWords } from '../words/words.tsx';
import { Preferences } from './preferences.tsx';

const code = takeCode();
/** Once for each page load, not for each render. */
const exchanged = code === null ? null : api.signIn({ body: { code } });

type Problem = 'usedLink' | 'wrongToken' | { readonly error: unknown };

/** The content for signed-in users; else sign-in instructions. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const token = useToken();
  const [isWaiting, setIsWaiting] = useState(exchanged !== null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (!exchanged) return;
    exchanged
      .then((answer) => writeToken(answer.token))
      .catch((error: unknown) =>
        setProblem(error instanceof ProblemError && error.status === 401 ? 'usedLink' : { error }),
      )
      .finally(() => setIsWaiting(false));
  }, []);
  useEffect(() => {
    if (token === null) queryClient.clear();
  }, [token]);
  if (isWaiting) return null;
  return token === null ? <SignInPage problem={problem} onProblem={setProblem} /> : children;
}

interface SignInProps {
  readonly problem: Problem | null;
  readonly onProblem: (problem: Problem | null) => void;
}

function SignInPage({ problem, onProblem }: SignInProps) {
  const w = useWords();
  const [entered, setEntered] = useState('');
  const enter = async () => {
    onProblem(null);
    try {
      const answer = await fetch('/api/memories', { headers: { authorization: `Bearer ${entered.trim()}` } });
      if (answer.ok) return writeToken(entered.trim());
      onProblem('wrongToken');
    } catch (error) {
      onProblem({ error });
    }
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      <header>
        <p className="font-serif text-3xl" lang="ja">
          思い出
        </p>
        <h1 className="mt-3 font-serif text-2xl font-semibold">{w.signIn.title}</h1>
        <p className="mt-2 text-soft">{w.signIn.about}</p>
      </header>
      <pre className="overflow-x-auto rounded-lg bg-sunken px-4 py-3 text-sm">omoide serve --open</pre>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <Field label={w.signIn.token} about={w.signIn.tokenAbout}>
          <Input
            type="password"
            name="token"
            autoComplete="current-password"
            required
            value={entered}
            onChange={(event) => setEntered(event.target.value)}
          />
        </Field>
        {problem !== null && (
          <p role="alert" className="text-sm text-bad">
            {typeof problem === 'string' ? w.signIn[problem] : explainError(problem.error, w)}
          </p>
        )}
        <Button look="primary" type="submit">
          {w.signIn.enter}
        </Button>
      </form>
      <Preferences />
    </main>
  );
}
