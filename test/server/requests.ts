/** Valid requests for each operation, made from the operations table. */
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

/** Queries of operations that require one. */
const QUERIES: Readonly<Record<string, string>> = {
  exportFeedback: '?file=queries',
  readNote: '?uri=user/preferences.md',
};

/** The path with a value for each parameter. */
export function pathOf(operation: Operation, places: Readonly<Record<string, string>> = {}): string {
  const values: Readonly<Record<string, string>> = { ...PLACES, ...places };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return `${path}${QUERIES[operation.name] ?? ''}`;
}

/** The path with a further query parameter. */
export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The example body of the table, and its headers. */
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
