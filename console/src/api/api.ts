/** The client of the server, with the token of the signed-in user. */
import { QueryClient } from '@tanstack/react-query';
import { createClient, ProblemError, type Client, type Output, type OperationName } from 'omoide/client';
import { readToken, writeToken } from './session.ts';

export { ProblemError };

/** The result of an operation. */
export type Answer<Name extends OperationName> = Awaited<Output<Name>>;
/** An element of a list. */
export type Item<Name extends OperationName> =
  Answer<Name> extends { readonly items: readonly (infer One)[] } ? One : never;

const send: typeof fetch = async (input, init) => {
  const token = readToken();
  const headers = new Headers(init?.headers);
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  const answer = await fetch(input, { ...init, headers });
  // Signed out in another tab, or the token was revoked.
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

/** Whether the server could not be reached, as opposed to an error response. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError;
}
