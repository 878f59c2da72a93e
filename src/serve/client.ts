/**
 * A client of the HTTP interface, for browsers and for Node: one method for each operation, typed by the server's own
 * table. Of the server nothing is loaded but the list of routes.
 *
 * @example
 * const omoide = createClient({ baseUrl: 'http://127.0.0.1:8787', token });
 * for await (const { event, data } of omoide.chat({ body: { text: '来週の京都旅行、楽しみだな。' } })) {
 *   if (event === 'token') process.stdout.write(data.text);
 * }
 * const { items } = await omoide.listFacts({ memoryId: 'default', query: { current: true } });
 */
import type { z } from 'zod';
import { readEvents, readLines } from './clientStream.ts';
import type { NoBody, Parameters } from './operation.ts';
import type { Operations } from './operations/operations.ts';
import { ROUTES, type AnswerKindOf, type OperationName, type Route } from './routes.ts';

export type { OperationName } from './routes.ts';

export interface ClientOptions {
  /** The address of the server, such as `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  readonly token?: string;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Additional headers: `Omoide-Memory`, `If-Match` … */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The input of an operation in one object: the parameters of its path, `query`, `body`. */
export type Input<Name extends OperationName> = Parameters<Name> & QueryInput<Name> & BodyInput<Name>;

type Types<Name extends OperationName> = NonNullable<Operations[Name]['types']>;
type QueryInput<Name extends OperationName> = keyof z.input<Types<Name>['query']> extends never
  ? object
  : { readonly query?: z.input<Types<Name>['query']> };
type BodyInput<Name extends OperationName> = (typeof ROUTES)[Name] extends { takes: string }
  ? { readonly body: string | Blob | ReadableStream<Uint8Array> }
  : Types<Name>['body'] extends NoBody
    ? object
    : undefined extends z.input<Types<Name>['body']>
      ? { readonly body?: z.input<Types<Name>['body']> }
      : { readonly body: z.input<Types<Name>['body']> };

type EventsOf<Shapes> = {
  [Event in keyof Shapes]: {
    readonly event: Event;
    readonly id: string | null;
    readonly data: Shapes[Event] extends z.ZodType ? z.output<Shapes[Event]> : never;
  };
}[keyof Shapes];

/** The output of an operation; if it streams, an object for `for await`. */
export type Output<Name extends OperationName> = {
  json: Promise<Types<Name>['answer'] extends z.ZodType ? z.output<Types<Name>['answer']> : never>;
  nothing: Promise<void>;
  text: Promise<string>;
  events: AsyncIterableIterator<EventsOf<Types<Name>['answer']>>;
  lines: AsyncIterableIterator<string>;
  response: Promise<Response>;
}[AnswerKindOf<Name>];

type Method<Name extends OperationName> =
  object extends Input<Name>
    ? (input?: Input<Name>, options?: CallOptions) => Output<Name>
    : (input: Input<Name>, options?: CallOptions) => Output<Name>;

/** Every method throws ProblemError for an error from the server, and the error of `fetch` when it is unreachable. */
export type Client = { readonly [Name in OperationName]: Method<Name> };

/** An error from the server: a problem document (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Stable: see the documentation. `UNKNOWN` for an answer that is not from Omoide. */
  readonly code: string;
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    super(typeof problem['detail'] === 'string' ? problem['detail'] : `The server answered ${status}.`);
    this.status = status;
    this.code = typeof problem['code'] === 'string' ? problem['code'] : 'UNKNOWN';
    this.problem = problem;
  }
}

export function createClient(options: ClientOptions): Client {
  const methods = Object.entries<Route>(ROUTES).map(([name, route]) => {
    const send = (input?: AnyInput, call?: CallOptions) => request(options, route, input ?? {}, call ?? {});
    return [name, (input?: AnyInput, call?: CallOptions) => READERS[route.answers](send(input, call))];
  });
  return Object.fromEntries(methods) as Client;
}

type AnyInput = Readonly<Record<string, unknown>> & {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
};

const READERS = {
  json: async (answer: Promise<Response>) => (await answer).json(),
  nothing: async (answer: Promise<Response>) => void (await answer),
  text: async (answer: Promise<Response>) => (await answer).text(),
  events: readEvents,
  lines: readLines,
  response: (answer: Promise<Response>) => answer,
};

const MEDIA_TYPES = {
  json: 'application/json',
  lines: 'application/x-ndjson',
  file: 'application/octet-stream',
};

async function request(
  { baseUrl, token, fetch: send = fetch }: ClientOptions,
  { method, path, takes }: Route,
  input: AnyInput,
  { signal, headers }: CallOptions,
): Promise<Response> {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const hasBody = input.body !== undefined;
  const answer = await send(`${baseUrl.replace(/\/$/, '')}${address}${formatQuery(input.query ?? {})}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(hasBody && { 'content-type': MEDIA_TYPES[takes ?? 'json'] }),
      ...headers,
    },
    ...(hasBody && { body: takes ? (input.body as string) : JSON.stringify(input.body) }),
    // If the body is a stream, it is sent before the answer is read.
    ...(takes && { duplex: 'half' }),
    ...(signal && { signal }),
  });
  if (!answer.ok) throw new ProblemError(answer.status, await readProblem(answer));
  return answer;
}

function formatQuery(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-base-to-string -- a query holds texts, numbers, booleans and lists of them
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text && `?${text}`;
}

async function readProblem(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await answer.json()) as Record<string, unknown>;
  } catch {
    return {};
  }
}
