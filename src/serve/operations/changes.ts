import { z } from 'zod';
import type { Caller } from '../auth.ts';
import { operation, type ServerEvent } from '../operation.ts';
import type { ServerParts } from '../parts.ts';
import { whenInvalid } from '../streamLimit.ts';

export const changeOperations = {
  followChanges: operation('followChanges', {
    tag: 'server',
    summary: 'Streams an event whenever a memory has changed, so that a client can refresh its view.',
    description:
      'Server-sent events: `ready` once, then `changed` for every group of changes of any server: turns, units, topics, jobs. ' +
      'The event does not contain the changes.',
    answer: { ready: z.object({}), changed: z.object({}) },
    problems: ['RATE_LIMITED'],
    handle({ parts, parameters, caller, signal }) {
      parts.streams.check(caller);
      return follow(parts, { memoryId: parameters.memoryId, caller, signal });
    },
  }),
};

async function* follow(
  { streams, changes }: ServerParts,
  { memoryId, caller, signal }: { memoryId: string; caller: Caller | null; signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  const revoked = new AbortController();
  const endCount = streams.add(caller);
  const stopChecking = whenInvalid(caller, () => revoked.abort());
  try {
    yield { event: 'ready', data: {} };
    for await (const _ of changes.follow(memoryId, AbortSignal.any([signal, revoked.signal]))) {
      if (caller && !caller.isValid()) return;
      yield { event: 'changed', data: {} };
    }
  } finally {
    endCount();
    stopChecking();
  }
}
