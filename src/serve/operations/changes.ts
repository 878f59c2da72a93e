import { z } from 'zod';
import { operation, type ServerEvent } from '../operation.ts';

export const changeOperations = {
  followChanges: operation('followChanges', {
    tag: 'server',
    summary: 'Streams an event whenever a memory has changed, so that a client can refresh its view.',
    description:
      'Server-sent events: `ready` once, then `changed` for every group of changes of any server: turns, units, topics, jobs. ' +
      'The event does not contain the changes.',
    answer: { ready: z.object({}), changed: z.object({}) },
    async *handle({ parts, parameters, caller, signal }): AsyncGenerator<ServerEvent> {
      yield { event: 'ready', data: {} };
      for await (const _ of parts.changes.follow(parameters.memoryId, signal)) {
        if (caller && !caller.isValid()) return;
        yield { event: 'changed', data: {} };
      }
    },
  }),
};
