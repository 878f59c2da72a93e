import { z } from 'zod';
import { operation } from '../operation.ts';
import { Problem } from '../problem.ts';

export const signInOperations = {
  signIn: operation('signIn', {
    tag: 'server',
    summary: 'Exchanges the code of a sign-in link for a token. A code is valid once, for 15 minutes.',
    description:
      'Links are printed by `omoide serve --open`. `omoide token list` shows the token as `console`.',
    access: 'open',
    body: z.strictObject({ code: z.string().min(1).max(100) }),
    answer: z.object({ token: z.string() }),
    status: 201,
    problems: ['UNAUTHORIZED'],
    example: { code: 'S5bXnC0Tq8m0V1k2yUqk3Jm4w5Zx6a7B' },
    handle({ parts, body }) {
      const token = parts.signIn.exchange(body.code);
      if (token !== null) return { token };
      throw new Problem('UNAUTHORIZED', 'This sign-in link was used before or has expired.');
    },
  }),

  signOut: operation('signOut', {
    tag: 'server',
    summary: 'Revokes the console token of this request. Other tokens stay.',
    answer: null,
    handle({ parts, caller }) {
      if (caller) parts.signIn.end(caller.id);
    },
  }),
};
