import { z } from 'zod';
import { MemoryError } from '../../engine/engine.ts';
import { TOKEN_SCOPES } from '../../settings/settings.ts';
import { operation } from '../operation.ts';

const MAX_AUDIT = 1_000;

const tokenShape = z.object({
  id: z.string(),
  name: z.string(),
  memoryId: z
    .string()
    .nullable()
    .describe('The only memory it can use; null: all memories and the settings.'),
  scope: z.enum(TOKEN_SCOPES).describe('Its scope; each scope includes the ones before it.'),
  expiresAt: z.int().nullable().describe('When it expires; null: never.'),
  createdAt: z.int(),
  lastUsedAt: z.int().nullable().describe('Last use, to the minute; null: never.'),
});

export const tokenOperations = {
  listTokens: operation('listTokens', {
    tag: 'settings',
    summary: 'Lists the tokens: names and rights. The tokens themselves are not stored.',
    access: 'operator',
    answer: z.object({
      items: z.array(tokenShape),
      ownId: z.string().nullable().describe('The token of this request.'),
    }),
    handle: ({ parts, caller }) => ({ items: parts.settings.tokens.list(), ownId: caller?.id ?? null }),
  }),

  createToken: operation('createToken', {
    tag: 'settings',
    summary: 'Creates a token. It is returned only once.',
    access: 'operator',
    body: z.strictObject({
      name: z.string().min(1).max(100).describe('Its purpose, shown in lists.'),
      memoryId: z.string().min(1).optional().describe('The only memory it can use; default: all.'),
      scope: z.enum(TOKEN_SCOPES).optional().describe('Default: operate; for one memory: manage.'),
      expiresAt: z.int().optional().describe('Milliseconds since 1970; default: never.'),
    }),
    status: 201,
    answer: z.object({ id: z.string(), token: z.string() }),
    problems: ['INVALID_ID'],
    example: { name: 'phone', memoryId: 'default' },
    handle: ({ parts, body: { name, memoryId, scope, expiresAt } }) =>
      parts.settings.tokens.create({
        name,
        ...(memoryId !== undefined && { memoryId }),
        ...(scope && { scope }),
        ...(expiresAt !== undefined && { expiresAt }),
      }),
  }),

  revokeToken: operation('revokeToken', {
    tag: 'settings',
    summary: 'Revokes a token.',
    access: 'operator',
    answer: null,
    handle({ parts, parameters }) {
      if (!parts.settings.tokens.revoke(parameters.tokenId))
        throw new MemoryError('NOT_FOUND', `There is no token ${parameters.tokenId}.`);
    },
  }),

  listAudit: operation('listAudit', {
    tag: 'settings',
    summary: 'Lists the audit log, newest first. It contains no text of turns.',
    access: 'operator',
    query: z.strictObject({
      memoryId: z.string().min(1).optional().describe('Only entries of this memory.'),
      limit: z.int().min(1).max(MAX_AUDIT).default(100).describe('Maximum number.'),
    }),
    answer: z.object({
      items: z.array(
        z.object({
          at: z.int(),
          tokenId: z.string(),
          tokenName: z.string(),
          action: z
            .string()
            .describe(
              'The name of the operation; `mcp`: a request of an agent; of the command line (`tokenId` is `cli`) the command.',
            ),
          memoryId: z.string().nullable(),
          outcome: z.string().describe('`done`, or the code of the problem.'),
        }),
      ),
    }),
    handle: ({ parts, query: { limit, memoryId } }) => ({
      items: parts.settings.audit.list({ limit, ...(memoryId !== undefined && { memoryId }) }),
    }),
  }),
};
