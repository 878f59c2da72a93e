/** Units, read and changed in that protocol's format. */
import { z } from 'zod';

export const unitChangeSchema = z.looseObject({
  pin: z.boolean().nullish(),
  sensitivity: z.string().nullish(),
  state: z.string().nullish(),
  /** A list, or a list as JSON. */
  topic_tags: z.union([z.string(), z.array(z.string())]).nullish(),
  confidence: z.number().nullish(),
  salience: z.number().nullish(),
});

/** The change in Omoide's format, which validates the values. */
export function changeOf(change: z.output<typeof unitChangeSchema>): object {
  const { pin, topic_tags: tags, sensitivity, state, confidence, salience } = change;
  const set = {
    pinned: pin,
    sensitivity: sensitivity?.toLowerCase(),
    state: state?.toLowerCase(),
    topicTags: typeof tags === 'string' ? readTags(tags) : tags,
    confidence,
    salience,
  };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined && value !== null));
}

function readTags(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

const countSchema = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a number')
  .transform(Number);
export const listSchema = z.looseObject({
  kind: z.string().optional(),
  state: z.string().optional(),
  limit: countSchema.optional(),
  offset: countSchema.optional(),
});
type ListQuery = z.output<typeof listSchema>;

const DEFAULT_LIMIT = 50;
const PAGE = 100;

interface Page {
  readonly items: readonly object[];
  readonly nextCursor: string | null;
}

/**
 * The units from `offset` on; Omoide's own lists are read page by page.
 * @param read returns the page for a query, or the error answer
 */
export async function listUnits(
  query: ListQuery,
  read: (query: string) => Promise<Response>,
): Promise<Response> {
  const { kind, state, limit = DEFAULT_LIMIT, offset = 0 } = query;
  const own = new URLSearchParams({ limit: String(PAGE) });
  if (kind) own.set('kinds', kind.toLowerCase());
  if (state) own.set('states', state.toLowerCase());
  const units: object[] = [];
  while (units.length < offset + limit) {
    const answer = await read(own.toString());
    if (!answer.ok) return answer;
    const { items, nextCursor } = (await answer.json()) as Page;
    units.push(...items);
    if (nextCursor === null) break;
    own.set('cursor', nextCursor);
  }
  return Response.json({ items: units.slice(offset, offset + limit).map(toCocoroUnit) });
}

/** A unit in snake case, with `unit_id`, and its tags as JSON. */
export function toCocoroUnit(unit: object): object {
  const { id, topic_tags: tags, ...rest } = snakeCased(unit) as Record<string, unknown>;
  return { unit_id: id, ...rest, topic_tags: JSON.stringify(tags ?? []) };
}

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(inner),
    ]),
  );
}
