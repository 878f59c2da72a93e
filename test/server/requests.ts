/** Requests made from the table: one for each operation, as it would be taken. */
import type { Operation } from '../../src/serve/operation.ts';
import { OPERATIONS } from '../../src/serve/operations/operations.ts';

export const TABLE: readonly Operation[] = Object.values<Operation>(OPERATIONS);

const PLACES = {
  memoryId: 'default',
  conversationId: 'c1',
  unitId: '1',
  entityId: '1',
  topicId: '1',
  entryId: '1',
  jobId: '1',
  turnId: '1',
  feedbackId: '1',
  tokenId: '1',
};

/** Of operations that cannot be called without one. */
const QUERIES: Readonly<Record<string, string>> = {
  exportFeedback: '?file=queries',
  readNote: '?uri=user/preferences.md',
};

/** The path with something in place of each parameter. */
export function pathOf(operation: Operation, places: Readonly<Record<string, string>> = {}): string {
  const values: Readonly<Record<string, string>> = { ...PLACES, ...places };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return `${path}${QUERIES[operation.name] ?? ''}`;
}

/** The path with a further part of its query. */
export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The body that the table gives as an example, and the headers it needs. */
export function bodyOf({ takes, body, example }: Operation): {
  body?: string;
  headers: Record<string, string>;
} {
  if (takes === 'lines')
    return { body: '{"omoide":1}\n', headers: { 'content-type': 'application/x-ndjson' } };
  if (takes === 'file')
    return { body: 'speaker,text\n', headers: { 'content-type': 'application/octet-stream' } };
  if (body === null || example === undefined) return { headers: {} };
  return { body: JSON.stringify(example), headers: { 'content-type': 'application/json' } };
}
