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
};

/** The path with something in place of each parameter. */
export function pathOf(operation: Operation, places: Readonly<Record<string, string>> = {}): string {
  const values: Readonly<Record<string, string>> = { ...PLACES, ...places };
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
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
