import { z } from 'zod';
import { KINDS, SCOPES, SENSITIVITIES, STATES } from '../../engine/engine.ts';
import { MAX_PAGE } from '../paging.ts';
import { id } from './named.ts';

/** Parameters of every list: limit and cursor. */
export const pageQuery = {
  limit: z.int().min(1).max(MAX_PAGE).default(50).describe('Maximum number of items.'),
  cursor: z.string().optional().describe('`nextCursor` of the previous page.'),
};

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
  });
}

/** The format of a time in a query. */
export const TIME =
  'ISO 8601, without a zone the memory’s local time; or milliseconds since 1970-01-01T00:00Z.';

/** The filters of lists of units. */
export const unitQuery = {
  maxSensitivity: z
    .enum(SENSITIVITIES)
    .optional()
    .describe('The highest sensitivity level listed; default `private`.'),
  scope: z.enum(SCOPES).optional().describe('Global units, or units of the project.'),
  from: z.string().optional().describe(`Units that occurred at or after this time. ${TIME}`),
  to: z.string().optional().describe(`Units that occurred before this time. ${TIME}`),
  archived: z.boolean().default(false).describe('Whether to list archived units too.'),
  pinned: z.boolean().optional().describe('Only pinned, or only unpinned units.'),
  entityId: id.optional().describe('Units that mention this entity.'),
  topicTag: z.string().optional().describe('Units with this tag.'),
  topicId: id.optional().describe('Episodes of this topic or its subtopics.'),
  ...pageQuery,
};
export const anyUnitQuery = {
  kinds: z.array(z.enum(KINDS)).optional().describe('Kinds to list; default: all.'),
  states: z.array(z.enum(STATES)).optional().describe('States to list; default: all except `archived`.'),
  conversationId: z.string().optional().describe('Episodes of this conversation.'),
  source: z.string().optional().describe('Origin: `chat`, `import`, the derivation that created it …'),
  ...unitQuery,
};
