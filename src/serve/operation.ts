/** The definition of an operation, from which routes, checks, the OpenAPI document, the page and the client are made. */
import type { Context } from 'hono';
import { z } from 'zod';
import type { Companion } from '../companion/companion.ts';
import type { Memory } from '../engine/engine.ts';
import type { Caller } from './auth.ts';
import type { ServerParts } from './parts.ts';
import type { ProblemCode } from './problem.ts';
import {
  ROUTES,
  type AnswerKind,
  type OperationName,
  type ParameterOf,
  type PathOf,
  type Route,
} from './routes.ts';

/** The groups of operations, in the order of the documentation. */
export const TAGS = {
  companion: 'Chats with the companion, and its proactive messages.',
  openai:
    'The same companion for clients of OpenAI’s interface: change their base URL to give them a memory.',
  memories: 'Memories, and the turns in them.',
  recall: 'Recall of relevant memories, with reasons.',
  units: 'Units of memory: read, correct, pin, archive, restore.',
  entities: 'People, places and things.',
  topics: 'Topics, and reorganisations that can be undone.',
  derived: 'Derived memories: facts, open loops, summaries.',
  notes: 'Notes: memory as Markdown files.',
  jobs: 'Background work.',
  upkeep: 'Export, import, verification and repair.',
  settings: 'Models, persona, contract and budgets. Keys can be written, never read.',
  server: 'The server itself.',
} as const;

/**
 * `open`: anyone. `token`: a token, which may be bound to one memory. `operator`: a token that is not bound to a
 * memory. `metrics`: like `operator`, or anyone when the settings allow it.
 */
export type Access = 'open' | 'token' | 'operator' | 'metrics';

/** Whether an operation needs a memory: an existing one, or one that is created when missing. */
export type Needs = 'nothing' | 'existing' | 'made';

const PARAMETERS = {
  memoryId: z
    .string()
    .regex(/^[\w-][\w.-]{0,63}$/, 'must be 1 to 64 letters, digits, “.”, “_” or “-”, not beginning with “.”')
    .describe('Which memory.'),
  conversationId: z.string().min(1).max(256).describe('Which conversation.'),
  unitId: z.int().positive().describe('Which unit.'),
  turnId: z.int().positive().describe('Which turn.'),
  entityId: z.int().positive().describe('Which entity.'),
  topicId: z.int().positive().describe('Which topic.'),
  entryId: z.int().positive().describe('The number of the journal entry.'),
  jobId: z.int().positive().describe('Which job.'),
  feedbackId: z.int().positive().describe('Which feedback.'),
  tokenId: z.string().min(1).max(64).describe('Which token.'),
};
export type Parameters<Name extends OperationName> = {
  readonly [P in ParameterOf<PathOf<Name>> & keyof typeof PARAMETERS]: z.output<(typeof PARAMETERS)[P]>;
};

/** Headers with a meaning for operations. */
export const HEADERS = {
  'Omoide-Memory': 'The memory; default: the token’s, else `default`.',
  'Omoide-Conversation': 'Which conversation.',
  'Omoide-Remember': '`false`: the exchange is neither learnt from nor recalled.',
  'Idempotency-Key': 'The client’s id of this request; a repeated request is stored and answered only once.',
  'If-Match': 'Only when the unit or topic still has this version: its `ETag`. Otherwise 412.',
  'Last-Event-ID': 'Events after this one; default: the last 200.',
} as const;
export type HeaderName = keyof typeof HEADERS;

const noQuery = z.strictObject({});
const noBody = z.undefined();
type NoQuery = typeof noQuery;
export type NoBody = typeof noBody;

/** The schema of the result, for each kind of answer. */
export type AnswerSchema<Kind extends AnswerKind> = Kind extends 'json'
  ? z.ZodType
  : Kind extends 'events'
    ? Readonly<Record<string, z.ZodType>>
    : Kind extends 'nothing'
      ? null
      : /** The media type. */ string;

/** A request that has been authorized and checked. */
export interface Call<Name extends OperationName, Query, Body> {
  readonly parameters: Parameters<Name>;
  readonly query: Query;
  readonly body: Body;
  /** Null for an open operation. */
  readonly caller: Caller | null;
  /** Aborted when the client has disconnected or the server cannot wait any longer. */
  readonly signal: AbortSignal;
  readonly request: Request;
  readonly context: Context;
  /** Status and headers of the answer, which a handler may change. */
  readonly reply: { status: number; readonly headers: Headers };
  readonly parts: ServerParts;
}

/** A call of an operation on a memory, which stays open until the answer has ended. */
export interface MemoryCall<Name extends OperationName, Query, Body> extends Call<Name, Query, Body> {
  readonly memory: Memory;
  readonly companion: Companion;
}

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

/** The type of results: readonly, so that a handler can return shared data without a copy. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The result of a handler, for each kind of answer. */
type Result<Kind extends AnswerKind, Answer> = Kind extends 'json'
  ? Answer extends z.ZodType
    ? DeepReadonly<z.output<Answer>>
    : never
  : Kind extends 'nothing'
    ? void
    : Kind extends 'events'
      ? AsyncIterable<ServerEvent> | Response
      : Kind extends 'lines'
        ? AsyncGenerator<string>
        : Response;

interface Definition<Name extends OperationName, Query extends z.ZodType, Body extends z.ZodType, Answer> {
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  /** Default `token`. */
  readonly access?: Access;
  /** Default 200, or 204. */
  readonly status?: number;
  readonly query?: Query;
  readonly body?: Body;
  /** Alternative names of the body’s fields. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The field for files, if the body may also be a form. */
  readonly files?: string;
  readonly headers?: readonly HeaderName[];
  readonly answer: Answer;
  /** Problems in addition to those of all operations. */
  readonly problems?: readonly ProblemCode[];
  readonly example?: z.input<Body>;
  /** The memory that the body requests, if it can. */
  readonly memoryOf?: (body: z.output<Body>) => string | undefined;
  readonly name?: Name;
}

/** An operation with all defaults, without its generic types. */
export interface Operation extends Route {
  readonly name: OperationName;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string | null;
  readonly access: Access;
  readonly needs: Needs;
  readonly status: number;
  readonly parameters: z.ZodObject;
  readonly query: z.ZodObject;
  /** Null when there is none, or when the handler reads it as a stream. */
  readonly body: z.ZodType | null;
  readonly aliases: Readonly<Record<string, string>>;
  /** The field for the files of a form; null when the body is JSON only. */
  readonly files: string | null;
  readonly headers: readonly HeaderName[];
  readonly answer: z.ZodType | Readonly<Record<string, z.ZodType>> | string | null;
  readonly problems: readonly ProblemCode[];
  readonly example: unknown;
  readonly memoryOf: ((body: never) => string | undefined) | null;
  readonly handle: (call: never) => unknown;
}

/** The types from which the client is inferred. They have no value at run time. */
export interface Typed<Query extends z.ZodType, Body extends z.ZodType, Answer> {
  readonly types?: { readonly query: Query; readonly body: Body; readonly answer: Answer };
}

/** Defines an operation that needs no memory, or finds its memories itself. */
export function operation<
  Name extends OperationName,
  Answer extends AnswerSchema<(typeof ROUTES)[Name]['answers']>,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
>(
  name: Name,
  definition: Definition<Name, Query, Body, Answer> & {
    handle(
      this: void,
      call: Call<Name, z.output<Query>, z.output<Body>>,
    ):
      | Result<(typeof ROUTES)[Name]['answers'], Answer>
      | Promise<Result<(typeof ROUTES)[Name]['answers'], Answer>>;
  },
): Operation & Typed<Query, Body, Answer> {
  return describe(name, 'nothing', definition);
}

/** Defines an operation on one memory. */
export function memoryOperation<
  Name extends OperationName,
  Answer extends AnswerSchema<(typeof ROUTES)[Name]['answers']>,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
>(
  name: Name,
  needs: Exclude<Needs, 'nothing'>,
  definition: Definition<Name, Query, Body, Answer> & {
    handle(
      this: void,
      call: MemoryCall<Name, z.output<Query>, z.output<Body>>,
    ):
      | Result<(typeof ROUTES)[Name]['answers'], Answer>
      | Promise<Result<(typeof ROUTES)[Name]['answers'], Answer>>;
  },
): Operation & Typed<Query, Body, Answer> {
  return describe(name, needs, definition);
}

function describe<Query extends z.ZodObject, Body extends z.ZodType, Answer>(
  name: OperationName,
  needs: Needs,
  definition: Definition<OperationName, Query, Body, Answer> & { handle(this: void, call: never): unknown },
): Operation & Typed<Query, Body, Answer> {
  const route: Route = ROUTES[name];
  return {
    description: null,
    access: 'token',
    status: route.answers === 'nothing' ? 204 : 200,
    query: noQuery,
    body: null,
    aliases: {},
    files: null,
    headers: [],
    problems: [],
    example: undefined,
    memoryOf: null,
    ...definition,
    ...route,
    name,
    needs,
    parameters: parametersOf(route.path),
    answer: definition.answer as Operation['answer'],
  };
}

function parametersOf(path: string): z.ZodObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof PARAMETERS);
  return z.strictObject(Object.fromEntries(names.map((name) => [name, PARAMETERS[name]])));
}
