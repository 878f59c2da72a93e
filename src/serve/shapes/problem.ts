import { z } from 'zod';
import { named } from './named.ts';

export const problemShape = named(
  'Problem',
  z.looseObject({
    type: z.string().describe('`urn:omoide:problem:` and the code.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    instance: z.string().describe('`urn:omoide:request:` and the id of the request.'),
    errors: z
      .array(
        z.object({
          in: z.enum(['path', 'query', 'header', 'body']),
          pointer: z.string().describe('RFC 6901; empty for the whole value.'),
          detail: z.string(),
        }),
      )
      .optional()
      .describe('The invalid fields and why.'),
  }),
);
