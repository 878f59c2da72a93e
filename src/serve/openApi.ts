/** Makes the OpenAPI 3.1 document from the table of operations. */
import { z } from 'zod';
import { SchemaCollection, type JsonSchema } from './jsonSchema.ts';
import { HEADERS, TAGS, type Operation } from './operation.ts';
import { meaningOf, STATUS_OF, type ProblemCode } from './problem.ts';
import { problemShape } from './shapes/shapes.ts';
import { EVENT_STREAM, JSON_LINES } from './sse.ts';

type Contents = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: unknown; readonly 'x-events'?: unknown }>
>;

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content?: Contents;
}

export type OpenApiOperation = ReturnType<typeof describeOperation>;
export type OpenApiDocument = ReturnType<typeof createOpenApi>;

const DESCRIPTION =
  'A long-term memory for AI companions. Every error is a problem document (RFC 9457) with a stable `code`. Instants are ' +
  'milliseconds since 1970-01-01T00:00Z; lists come in pages, newest first unless they say otherwise.';

export function createOpenApi(operations: readonly Operation[], version: string) {
  const schemas = new SchemaCollection(operations.flatMap(answersOf));
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Omoide',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token from `omoide token new`.' },
      },
    },
  };
}

function answersOf({ answer }: Operation): z.ZodType[] {
  if (answer instanceof z.ZodType) return [answer];
  return answer === null || typeof answer === 'string' ? [] : Object.values(answer);
}

function describeOperation(operation: Operation, schemas: SchemaCollection) {
  const { access, description, summary, tag, name } = operation;
  const body = requestBody(operation, schemas);
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description !== null && { description }),
    ...(access === 'open' && { security: [] }),
    ...(access === 'metrics' && { security: [{ bearer: [] }, {}] }),
    parameters: [
      ...parametersIn('path', operation.parameters, schemas),
      ...parametersIn('query', operation.query, schemas),
      ...operation.headers.map((header) => ({
        name: header,
        in: 'header' as const,
        required: false,
        description: HEADERS[header],
        schema: { type: 'string' },
      })),
    ],
    ...(body && { requestBody: body }),
    responses: { ...successes(operation, schemas), ...failures(operation, schemas) },
  };
}

function parametersIn(
  from: 'path' | 'query',
  schema: z.ZodObject,
  schemas: SchemaCollection,
): OpenApiParameter[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...converted } = schemas.input(field as z.ZodType);
    return {
      name,
      in: from,
      required: from === 'path',
      ...(typeof description === 'string' && { description }),
      ...(converted['type'] === 'array' && { style: 'form', explode: false }),
      schema: converted,
    };
  });
}

function requestBody(
  operation: Operation,
  schemas: SchemaCollection,
): { readonly required: boolean; readonly content: Contents } | null {
  const { body, takes, example } = operation;
  if (takes) {
    const type = takes === 'lines' ? JSON_LINES : 'application/octet-stream';
    return { required: true, content: { [type]: { schema: { type: 'string' } } } };
  }
  if (body === null) return null;
  const content = { schema: schemas.input(body), ...(example !== undefined && { example }) };
  const required = !body.safeParse(undefined).success;
  const form =
    operation.files === null ? {} : { 'multipart/form-data': { schema: formSchema(operation.files) } };
  return { required, content: { 'application/json': content, ...form } };
}

function formSchema(files: string) {
  return {
    type: 'object',
    description: 'The fields of the JSON body; lists and objects as JSON.',
    properties: { [files]: { type: 'array', items: { type: 'string', format: 'binary' } } },
  };
}

function successes(operation: Operation, schemas: SchemaCollection): Record<string, OpenApiResponse> {
  const { answer, answers, status } = operation;
  if (answers === 'nothing') return { [status]: { description: 'It is stored; the answer is empty.' } };
  if (answer instanceof z.ZodType) {
    return {
      [status]: {
        description: 'As asked.',
        content: { 'application/json': { schema: schemas.output(answer) } },
      },
    };
  }
  if (typeof answer === 'string') {
    const isText = answers === 'text';
    const schema: JsonSchema = isText || answer === JSON_LINES ? { type: 'string' } : {};
    const streamed = answers === 'response' ? { [EVENT_STREAM]: { schema: { type: 'string' } } } : {};
    return { [status]: { description: 'As asked.', content: { [answer]: { schema }, ...streamed } } };
  }
  return eventResponses(operation, schemas);
}

/** OpenAPI 3.1 cannot describe the events of a stream: `x-events` gives each with the schema of its data. */
function eventResponses(operation: Operation, schemas: SchemaCollection): Record<string, OpenApiResponse> {
  const events = Object.entries(operation.answer as Record<string, z.ZodType>);
  const shapes = Object.fromEntries(events.map(([name, schema]) => [name, schemas.output(schema)]));
  const names = events.map(([name]) => `\`${name}\``).join(', ');
  const content = { [EVENT_STREAM]: { schema: { type: 'string' }, 'x-events': shapes } };
  const isUpgradable = operation.name === 'streamEvents';
  return {
    ...(isUpgradable && {
      101: { description: 'A WebSocket, on an upgrade request: each message is one event as JSON.' },
    }),
    [operation.status]: { description: `Server-sent events: ${names}.`, content },
  };
}

function failures(operation: Operation, schemas: SchemaCollection): Record<string, OpenApiResponse> {
  const codes = new Set<ProblemCode>(['INVALID_INPUT', 'RATE_LIMITED', 'INTERNAL', ...operation.problems]);
  if (operation.access !== 'open') codes.add('UNAUTHORIZED').add('FORBIDDEN');
  if (operation.body || operation.takes) codes.add('UNSUPPORTED_MEDIA_TYPE');
  if (operation.body) codes.add('INVALID_JSON').add('BODY_TOO_LARGE');
  if (operation.needs === 'existing') codes.add('NOT_FOUND');
  if (operation.needs !== 'nothing') codes.add('BUSY').add('STORE_FAILED');
  if (operation.needs === 'made') codes.add('DISK_FULL').add('READ_ONLY');
  const schema = schemas.output(problemShape);
  const byStatus = Map.groupBy(codes, (code) => STATUS_OF[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}
