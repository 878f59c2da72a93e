import { z } from 'zod';
import { KINDS, SCOPES, SENSITIVITIES, STATES } from '../../engine/engine.ts';
import { MAX_PAGE } from '../paging.ts';
import { id } from './named.ts';

/** Parameters of every list: limit and cursor. */
export const pageQuery = {
  limit: z.int().min(1).max(MAX_PAGE).default(50).describe('How many at most.'),
  cursor: z.string().optional().describe('`nextCursor` of the page before.'),
};

/** One page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('Where the next page begins; null on the last.'),
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
    .describe('The most sensitive that are listed; default `private`.'),
  scope: z.enum(SCOPES).optional().describe('Of everything, or of the project at hand.'),
  from: z.string().optional().describe(`The first instant. ${TIME}`),
  to: z.string().optional().describe(`The instant before which it occurred. ${TIME}`),
  archived: z.boolean().default(false).describe('Whether archived units are listed, too.'),
  pinned: z.boolean().optional().describe('Whether it is pinned.'),
  entityId: id.optional().describe('Units that speak of this entity.'),
  topicTag: z.string().optional().describe('Units with this tag.'),
  topicId: id.optional().describe('Episodes of this topic, or of one below it.'),
  ...pageQuery,
};
export const anyUnitQuery = {
  kinds: z.array(z.enum(KINDS)).optional().describe('Which kinds; default: all.'),
  states: z.array(z.enum(STATES)).optional().describe('In which states; default: all but `archived`.'),
  conversationId: z.string().optional().describe('Episodes of this conversation.'),
  source: z
    .string()
    .optional()
    .describe('Where it comes from: `chat`, `import`, the derivation that made it …'),
  ...unitQuery,
};
