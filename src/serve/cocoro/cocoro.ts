/**
 * Serves the companion to clients of Cocoro in their protocol: the paths, names and shapes of its public document
 * (`docs/api.md` of hirona98/cocoro_ghost), with and without `/v1` and `/v2`. Each request is translated to one of
 * Omoide's own interface, which checks it like any other, and the answer is translated back.
 *
 *     client ── POST /api/chat {input_text} ──► here ── POST /api/chat {text} ──► app
 *     client ◄── done {reply_text} ──────────── here ◄── done {replyUnitId} ───── app
 */
import { Hono, type Context } from 'hono';
import { randomUUID } from 'node:crypto';
import type { createApp, AppOptions, Env } from '../app.ts';
import { handleError } from '../app.ts';
import { addressOf, authorize } from '../authorize.ts';
import { check, readJson } from '../body.ts';
import { serveWebSocket } from '../eventStream.ts';
import { guardHeaders } from '../guard.ts';
import type { LogFeed } from '../logFeed.ts';
import { OPERATIONS } from '../operations/operations.ts';
import type { ServerParts } from '../parts.ts';
import { chosenMemory } from '../place.ts';
import { Problem } from '../problem.ts';
import { checkScope, scopeOf } from '../scopes.ts';
import { isUpgrade } from '../auth.ts';
import { chatRequest, chatResponse, chatSchema } from './chat.ts';
import { EventWire } from './events.ts';
import { serveLog } from './log.ts';
import { metaRequest, metaRequestSchema, notification, notificationSchema } from './proactive.ts';
import { forSettings, fromSettings, settingsSchema } from './settings.ts';
import { changeOf, listSchema, listUnits, toCocoroUnit, unitChangeSchema } from './units.ts';

const EVENTS = '/api/events/stream';
const LOGS = '/api/logs/stream';
export const COCORO_WEB_SOCKETS = [EVENTS, LOGS] as const;
const HEALTH = '/api/health';

type App = ReturnType<typeof createApp>;
type CocoroContext = Context<Env>;

interface CocoroParts {
  /** Omoide's own interface. */
  readonly app: App;
  readonly parts: ServerParts;
  readonly logFeed: LogFeed;
  readonly options: AppOptions;
}

/** A request to Omoide's own interface. */
interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  readonly memoryId?: string | undefined;
  readonly signal?: AbortSignal;
}

export function createCocoroApp({ app, parts, logFeed, options }: CocoroParts): App {
  const own = new Hono<Env>();
  const bodyOf = async <Schema extends Parameters<typeof check>[0]>(c: CocoroContext, schema: Schema) =>
    check(schema, await readJson(c.req.raw, parts.bodyLimitBytes), 'body');
  const ask = async (c: CocoroContext, asked: Asked) => {
    // Without the connection, so that the answer is returned here.
    const { outgoing: _, ...env } = c.env;
    return app.fetch(toRequest(c.req.raw, asked), env);
  };

  own.use('*', async (c, next) => {
    c.set('requestId', randomUUID());
    const url = new URL(c.req.url);
    guardHeaders(c.req.raw, url, options);
    if (parts.isStopping()) throw new Problem('STOPPING');
    // A body is read only after authorization.
    const isOpen = url.pathname === '/' || url.pathname === HEALTH || isUpgrade(c.req.raw.headers);
    if (!isOpen) await parts.auth.identify(c.req.raw, addressOf(c));
    await next();
  });
  own.get('/', (c) => c.json({ message: 'Omoide serves the protocol of CocoroGhost here.' }));
  own.get(HEALTH, async (c) => {
    const answer = await ask(c, { method: 'GET', path: OPERATIONS.health.path });
    return answer.ok ? c.json({ status: 'healthy' }) : answer;
  });

  own.post('/api/chat', async (c) => {
    const said = await bodyOf(c, chatSchema);
    const disconnected = new AbortController();
    const asked = chatRequest(said, parts.settings.get().cocoro);
    const answer = await ask(c, {
      method: 'POST',
      path: OPERATIONS.chat.path,
      ...asked,
      signal: disconnected.signal,
    });
    return answer.ok ? chatResponse(answer, disconnected) : answer;
  });
  for (const path of ['/api/v1/notification', '/api/v2/notification']) {
    own.post(path, async (c) => {
      const body = notification(await bodyOf(c, notificationSchema));
      return ask(c, { method: 'POST', path: OPERATIONS.notify.path, body, memoryId: memoryOf(parts) });
    });
  }
  for (const path of ['/api/v1/meta_request', '/api/v2/meta-request']) {
    own.post(path, async (c) => {
      const body = metaRequest(await bodyOf(c, metaRequestSchema));
      return ask(c, { method: 'POST', path: OPERATIONS.metaRequest.path, body, memoryId: memoryOf(parts) });
    });
  }

  own.get('/api/settings', async (c) => {
    const answer = await ask(c, { method: 'GET', path: OPERATIONS.readSettings.path });
    return answer.ok ? c.json(settingsOf(parts)) : answer;
  });
  own.put('/api/settings', async (c) => {
    // A caller that may not read the settings must not learn about them from error messages.
    const allowed = await ask(c, { method: 'GET', path: OPERATIONS.readSettings.path });
    if (!allowed.ok) return allowed;
    const body = fromSettings(await bodyOf(c, settingsSchema), parts.settings.get());
    const answer = await ask(c, { method: 'PATCH', path: OPERATIONS.changeSettings.path, body });
    return answer.ok ? c.json(settingsOf(parts)) : answer;
  });

  own.get('/api/memories/:memoryId/units', async (c) => {
    const query = check(listSchema, c.req.query(), 'query');
    return listUnits(query, (own) => ask(c, { method: 'GET', path: `${unitsPath(c)}?${own}` }));
  });
  own.get('/api/memories/:memoryId/units/:unitId', async (c) =>
    toUnitAnswer(await ask(c, { method: 'GET', path: unitPath(c) })),
  );
  own.patch('/api/memories/:memoryId/units/:unitId', async (c) => {
    const body = changeOf(await bodyOf(c, unitChangeSchema));
    return toUnitAnswer(await ask(c, { method: 'PATCH', path: unitPath(c), body }));
  });

  own.get(EVENTS, async (c) => {
    const caller = await authorize(OPERATIONS.streamEvents, c, parts);
    checkScope(caller, scopeOf(OPERATIONS.streamEvents));
    if (!isUpgrade(c.req.raw.headers))
      throw new Problem('INVALID_INPUT', 'This path only supports WebSocket.');
    const memoryId = chosenMemory(c.req.raw, memoryOf(parts), caller);
    return serveWebSocket(parts, { memoryId, caller, after: null }, c, new EventWire(parts));
  });
  own.get(LOGS, async (c) => {
    const caller = await authorize(OPERATIONS.readSettings, c, parts);
    checkScope(caller, scopeOf(OPERATIONS.readSettings));
    if (!isUpgrade(c.req.raw.headers))
      throw new Problem('INVALID_INPUT', 'This path only supports WebSocket.');
    return serveLog(c, parts, { caller, logFeed });
  });

  own.notFound(() => {
    throw new Problem('UNKNOWN_PATH');
  });
  own.onError((error, c) => handleError(error, c, options.log));
  return own;
}

/** The memory for a request that does not name one; undefined: that of its token. */
function memoryOf({ settings }: ServerParts): string | undefined {
  const { memoryId } = settings.get().cocoro;
  return memoryId === 'default' ? undefined : memoryId;
}

function settingsOf({ settings, models }: ServerParts): object {
  return forSettings(settings.get(), models.embedder?.dimensions ?? 0);
}

function toRequest(given: Request, { method, path, body, memoryId, signal }: Asked): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of ['authorization', 'origin', 'x-request-id']) {
    const value = given.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (memoryId !== undefined) headers.set('omoide-memory', memoryId);
  const signals = [given.signal, ...(signal ? [signal] : [])];
  return new Request(new URL(path, given.url), {
    method,
    headers,
    signal: AbortSignal.any(signals),
    ...(body && { body: JSON.stringify(body) }),
  });
}

function unitsPath(c: CocoroContext): string {
  return `/api/memories/${encodeURIComponent(c.req.param('memoryId') ?? '')}/units`;
}

function unitPath(c: CocoroContext): string {
  return `${unitsPath(c)}/${encodeURIComponent(c.req.param('unitId') ?? '')}`;
}

async function toUnitAnswer(answer: Response): Promise<Response> {
  if (!answer.ok) return answer;
  return Response.json(toCocoroUnit((await answer.json()) as object));
}
