/** Checks a request's token, the scope of the token, and the rate limit. */
import type { Context } from 'hono';
import type { Caller } from './auth.ts';
import type { Access, Operation } from './operation.ts';
import { Problem } from './problem.ts';
import type { ServerParts } from './parts.ts';

/** The part of a connection that is needed. */
interface Connection {
  readonly incoming?: { readonly socket: { readonly remoteAddress?: string } };
}

export function addressOf(c: Context): string {
  return (c.env as Connection | undefined)?.incoming?.socket.remoteAddress ?? 'unknown';
}

/** @throws Problem UNAUTHORIZED, FORBIDDEN, RATE_LIMITED */
export async function authorize(
  operation: Pick<Operation, 'name' | 'access'>,
  c: Context,
  { auth, settings }: ServerParts,
): Promise<Caller | null> {
  const address = addressOf(c);
  const access = effectiveAccess(operation, () => settings.get().metricsOpen);
  const ticket = operation.name === 'streamEvents' ? c.req.query('ticket') : undefined;
  const caller = access === 'open' ? null : await auth.identify(c.req.raw, address, ticket);
  await auth.countRequest(caller, address);
  if (access === 'operator' && caller?.memoryId !== null) {
    throw new Problem('FORBIDDEN', 'This requires a token for all memories.');
  }
  return caller;
}

function effectiveAccess(
  { access }: Pick<Operation, 'access'>,
  isMetricsOpen: () => boolean,
): Exclude<Access, 'metrics'> {
  if (access !== 'metrics') return access;
  return isMetricsOpen() ? 'open' : 'operator';
}
