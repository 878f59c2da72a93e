/** Makes routes of the operations: the checks before each, and the answers. */
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context } from 'hono';
import { randomUUID } from 'node:crypto';
import { checkReach, type Caller } from './auth.ts';
import { addressOf, authorize } from './authorize.ts';
import { loadConsole } from './console.ts';
import { check, checkText, readJson, renamed } from './body.ts';
import { isForm, readForm } from './form.ts';
import { guardHeaders, isPreflight, preflightHeaders, SECURITY_HEADERS, type GuardOptions } from './guard.ts';
import { createDisconnect } from './disconnect.ts';
import type { Operation, ServerEvent } from './operation.ts';
import type { Log } from './log.ts';
import { OPERATIONS } from './operations/operations.ts';
import { answerMcp } from './mcp/mcp.ts';
import { checkScope, scopeOf } from './scopes.ts';
import type { ServerParts } from './parts.ts';
import { chosenMemory } from './place.ts';
import { Problem, problemDocument, toProblem } from './problem.ts';
import {
  EVENT_STREAM_HEADERS,
  eventBody,
  JSON_LINES_HEADERS,
  lineBody,
  proxyResponse,
  type Watch,
} from './sse.ts';
import type { AnswerKind } from './routes.ts';

export interface AppOptions extends GuardOptions {
  readonly log: Log;
  /** Aborted when the server cannot wait any longer. */
  readonly cutOff: AbortSignal;
}

export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    operation: { readonly name: string };
    /** Sent with the status and headers of the answer, which has no body of its own. */
    json: string | undefined;
  };
}
type AppContext = Context<Env>;

/** The path of the MCP endpoint, whose operations are not in the table. */
const MCP_PATH = '/mcp';

/** The allowed form of a request id from a client. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;

export function createApp(parts: ServerParts, options: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use('*', (c, next) => observe({ c, next, parts, options }));
  app.use('*', async (c, next) => {
    const url = new URL(c.req.url);
    for (const [name, value] of Object.entries(guardHeaders(c.req.raw, url, options)))
      c.res.headers.set(name, value);
    if (isPreflight(c.req.raw)) return c.body(null, 204, preflightHeaders(c.req.raw));
    if (parts.isStopping() && url.pathname !== OPERATIONS.health.path) throw new Problem('STOPPING');
    await next();
  });
  addRoutes(app, parts, options);
  app.all(MCP_PATH, (c) => {
    c.set('operation', { name: 'mcp' });
    return answerMcp(c.req.raw, addressOf(c), parts, options);
  });
  addConsole(app);
  app.notFound(() => {
    throw new Problem('UNKNOWN_PATH');
  });
  app.onError((error, c) => handleError(error, c, options.log));
  return app;
}

function addConsole(app: Hono<Env>): void {
  const pages = loadConsole();
  for (const path of pages.paths) {
    app.get(path, (c) => {
      c.set('operation', { name: 'console' });
      return pages.answer(c.req.path);
    });
  }
}

function addRoutes(app: Hono<Env>, parts: ServerParts, options: AppOptions): void {
  const byPath = Map.groupBy(Object.values<Operation>(OPERATIONS), ({ path }) => path);
  for (const [path, operations] of byPath) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const operation of operations) {
      app.on(operation.method, pattern, (c) => {
        c.set('operation', operation);
        return runOperation(operation, { c, parts, options });
      });
    }
    const allow = operations
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .join(', ');
    app.all(pattern, () => {
      throw new Problem('METHOD_NOT_ALLOWED', `This path supports ${allow}.`, { headers: { allow } });
    });
  }
}

/** Gives the request an id, measures and logs it, without its query, body or token. */
async function observe({
  c,
  next,
  parts,
  options: { log },
}: Handling & { readonly next: () => Promise<void> }): Promise<void> {
  const startedAt = performance.now();
  const given = c.req.header('x-request-id') ?? '';
  const requestId = REQUEST_ID.test(given) ? given : randomUUID();
  c.set('requestId', requestId);
  await next();
  // Not with `c.header`, which creates a new response each time.
  const { headers } = c.res;
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!headers.has(name)) headers.set(name, value);
  headers.set('x-request-id', requestId);
  const elapsedMs = performance.now() - startedAt;
  const name = (c.get('operation') as Env['Variables']['operation'] | undefined)?.name ?? 'unknown';
  parts.metrics.onRequest(name, c.res.status, elapsedMs);
  log(
    `${c.req.method} ${new URL(c.req.url).pathname} ${c.res.status} ${elapsedMs.toFixed(1)}ms ${requestId}`,
  );
  sendJson(c);
}

/**
 * Takes JSON as the answer. A web response would make a stream of it, and the adapter read that: most of the time that
 * the server needs for an answer of 20 KB. So it is sent directly where the request came over HTTP.
 */
function answerJson(c: AppContext, result: object, status: number): Response {
  if (!c.env.outgoing || c.req.method === 'HEAD') return c.json(result, status as 200);
  c.set('json', JSON.stringify(result));
  return c.body(null, status as 200, { 'content-type': 'application/json' });
}

function sendJson(c: AppContext): void {
  const json = c.get('json');
  const { outgoing } = c.env;
  if (json === undefined || !outgoing) return;
  const { status, headers } = c.res;
  outgoing.writeHead(status, { ...Object.fromEntries(headers), 'content-length': Buffer.byteLength(json) });
  outgoing.end(json);
  c.res = RESPONSE_ALREADY_SENT;
}

export function handleError(error: unknown, c: AppContext, log: Log): Response {
  const problem = toProblem(error);
  const requestId = c.get('requestId');
  c.set('json', undefined);
  if (problem.status >= 500) log(`${requestId} ${problem.code}: ${describeCause(problem)}`, 'error');
  const document = problemDocument(problem, requestId, c.req.path.startsWith('/v1/'));
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  return c.body(JSON.stringify(document), problem.status as 400, {
    'content-type': 'application/problem+json',
  });
}

/** Includes the stack for an unexpected error. */
function describeCause({ code, cause, message }: Problem): string {
  if (!(cause instanceof Error)) return message;
  return code === 'INTERNAL' ? (cause.stack ?? cause.message) : cause.message;
}

/** A request, and what its handling needs. */
interface Handling {
  readonly c: AppContext;
  readonly parts: ServerParts;
  readonly options: AppOptions;
}

interface OperationCall extends Handling {
  readonly operation: Operation;
  readonly caller: Caller | null;
}

async function runOperation(operation: Operation, handling: Handling): Promise<Response> {
  const { c, parts } = handling;
  if (c.req.method === 'HEAD' && operation.answers !== 'json' && operation.answers !== 'text') {
    throw new Problem('METHOD_NOT_ALLOWED', 'This path supports GET.', { headers: { allow: 'GET' } });
  }
  const caller = await authorize(operation, c, parts);
  return runAudited({ ...handling, operation, caller });
}

/** Writes the operation and its outcome to the audit log, unless there is no caller. */
async function runAudited(call: OperationCall): Promise<Response> {
  const { caller, operation, c, parts } = call;
  const note = (outcome: string) => {
    if (caller === null) return;
    const { id: tokenId, name: tokenName } = caller;
    const named = c.req.param('memoryId') ?? c.req.query('memoryId') ?? c.req.header('omoide-memory');
    const memoryId = operation.needs === 'nothing' ? null : (named ?? caller.memoryId ?? 'default');
    const action = operation.name;
    parts.settings.audit.note({ at: Date.now(), tokenId, tokenName, action, memoryId, outcome });
  };
  try {
    checkScope(caller, scopeOf(operation));
    const response = await run(call);
    note('done');
    return response;
  } catch (error) {
    note(toProblem(error).code);
    throw error;
  }
}

async function run({ operation, caller, c, parts, options }: OperationCall): Promise<Response> {
  const request = c.req.raw;
  const { searchParams } = new URL(request.url);
  const parameters = checkText(operation.parameters, Object.entries(c.req.param()), 'path');
  const query = checkText(operation.query, searchParams, 'query');
  const named = (parameters['memoryId'] ?? query['memoryId']) as string | undefined;
  if (named !== undefined) checkReach(caller, named);
  const body = operation.body
    ? check(operation.body, renamed(await readBody(operation, request, parts), operation.aliases), 'body')
    : undefined;
  const memoryId = chooseMemory({ operation, request, caller, named, body });
  const missing = operation.needs === 'made' ? {} : undefined;
  const lease = memoryId === null ? null : await parts.memories.acquire(memoryId, missing);
  const release = () => lease?.release();
  const reply = { status: operation.status, headers: new Headers() };
  const disconnected = createDisconnect(request);
  const signal = AbortSignal.any([options.cutOff, disconnected.signal]);
  const call = { parameters, query, body, caller, signal, request, context: c, reply, parts, ...lease };
  try {
    const result = await operation.handle(call as never);
    if (memoryId !== null && operation.method !== 'GET' && !operation.isRead) parts.changes.publish(memoryId);
    for (const [name, value] of reply.headers) c.res.headers.set(name, value);
    const watch: Watch = {
      onDisconnect: () => disconnected.abort(),
      onFailure: (error) => options.log(describeLateFailure(error, c), 'error'),
      onEnd: release,
    };
    return respond({ answers: operation.answers, result, status: reply.status, c, watch });
  } catch (error) {
    release();
    throw error;
  }
}

function readBody(operation: Operation, request: Request, { bodyLimitBytes }: ServerParts): Promise<unknown> {
  if (isForm(request, operation)) return readForm(request, operation, bodyLimitBytes);
  return readJson(request, bodyLimitBytes);
}

interface Asked {
  readonly operation: Operation;
  readonly request: Request;
  readonly caller: Caller | null;
  readonly named: string | undefined;
  readonly body: unknown;
}

/** The memory of a request; null when the operation needs none. @throws Problem INVALID_INPUT, FORBIDDEN */
function chooseMemory({ operation, request, caller, named, body }: Asked): string | null {
  if (operation.needs === 'nothing') return null;
  const memoryId = operation.path.includes('{memoryId}')
    ? String(named)
    : chosenMemory(request, named, caller, operation.memoryOf?.(body as never));
  checkReach(caller, memoryId);
  return memoryId;
}

function describeLateFailure(error: unknown, c: AppContext): string {
  const problem = toProblem(error);
  return `${c.get('requestId')} ${problem.code} after the start of the answer: ${describeCause(problem)}`;
}

interface Answer {
  readonly answers: AnswerKind;
  readonly result: unknown;
  readonly status: number;
  readonly c: AppContext;
  readonly watch: Watch;
}

/** Converts the result of a handler to a response; `watch.onEnd` is called when it has ended. */
function respond({ answers, result, status, c, watch }: Answer): Response {
  if (answers === 'response' && result instanceof Response && result.body) {
    return proxyResponse(result.body, result, watch);
  }
  if (answers === 'lines') {
    return c.body(lineBody(result as AsyncGenerator<string>, watch), 200, JSON_LINES_HEADERS);
  }
  if (answers === 'events' && !(result instanceof Response)) {
    return c.body(eventBody(result as AsyncGenerator<ServerEvent>, watch), 200, EVENT_STREAM_HEADERS);
  }
  watch.onEnd();
  if (result instanceof Response) return result;
  return answers === 'nothing' ? c.body(null, 204) : answerJson(c, result as object, status);
}
