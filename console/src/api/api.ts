/** The one client of the server, with the token of whoever is signed in. */
import { QueryClient } from '@tanstack/react-query';
import { createClient, ProblemError, type Client, type Output, type OperationName } from 'omoide/client';
import { readToken, writeToken } from './session.ts';

export { ProblemError };

/** What an operation answers. */
export type Answer<Name extends OperationName> = Awaited<Output<Name>>;
/** One entry of a list. */
export type Item<Name extends OperationName> =
  Answer<Name> extends { readonly items: readonly (infer One)[] } ? One : never;

const send: typeof fetch = async (input, init) => {
  const token = readToken();
  const headers = new Headers(init?.headers);
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  const answer = await fetch(input, { ...init, headers });
  // Signed out elsewhere, or revoked.
  if (answer.status === 401 && token !== null && token === readToken()) writeToken(null);
  return answer;
};

export const api: Client = createClient({ baseUrl: location.origin, fetch: send });

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Whether the server was not reached at all, as opposed to having refused. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError;
}
