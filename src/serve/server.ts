/** The server: listens, answers, and stops without losing acknowledged data. */
import { messageOf } from '../model/model.ts';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MemoryError, memoryExists } from '../engine/engine.ts';
import type { Settings } from '../settings/settings.ts';
import { createApp } from './app.ts';
import { Auth } from './auth.ts';
import { ChangeFeed } from './changes.ts';
import { COCORO_WEB_SOCKETS, createCocoroApp } from './cocoro/cocoro.ts';
import { EventHub } from './events.ts';
import { openListeners, type Listeners } from './listener.ts';
import { logWork, type Log } from './log.ts';
import { LogFeed } from './logFeed.ts';
import { Memories } from './memories.ts';
import { Metrics } from './metrics.ts';
import { NO_ACCESS, type ModelAccess } from './modelAccess.ts';
import { Relay } from './relay.ts';
import { Models, type ModelOverrides } from './models.ts';
import { createOpenApi } from './openApi.ts';
import type { SharedOptions } from './opening.ts';
import { OPERATIONS } from './operations/operations.ts';
import { createPage } from './page/page.ts';
import type { ServerParts } from './parts.ts';
import { StreamLimit } from './streamLimit.ts';
import { modelUseOf, recallUseOf } from './usage.ts';
import { StoreProbe } from './storeProbe.ts';
import { WriteProbe } from './writeProbe.ts';
import { SignIn } from './signIn.ts';

export interface ServerOptions extends SharedOptions {
  /** Folder of the memories; created when it does not exist. */
  readonly dataDir: string;
  /** The address to listen at, or a name of this machine. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The port for clients of Cocoro, in its protocol; 0: any free port; absent: none. */
  readonly cocoroPort?: number;
  /** Owned by the caller, who closes them. */
  readonly settings: Settings;
  /** Whether background jobs run in this process; otherwise `startWorker` runs them in another. */
  readonly worker: boolean;
  /** The limit per minute for one token, and for each address without one. */
  readonly rateLimitPerMinute: number;
  /** The longest body, except for imports. */
  readonly bodyLimitBytes: number;
  /** See `MemoriesOptions`. */
  readonly openMemoriesBytes?: number;
  /** Origins of pages that may call the server, as browsers send them; its own pages are always allowed. */
  readonly corsOrigins: readonly string[];
  /** The file for requests and replies of models while tracing is enabled; default: `trace.jsonl` in the folder. */
  readonly traceFile?: string;
  /** Entries of the audit log are removed after this number of days, at least 30; default: never. */
  readonly retainAuditDays?: number;
  readonly log: Log;
  /** What models of changed settings may access; default: nothing in addition. */
  readonly modelAccess?: ModelAccess;
  /** Models that replace those of the settings. */
  readonly modelOverrides?: ModelOverrides;
  /** How long `stop` waits for running answers, in milliseconds; default 10,000. */
  readonly graceMs?: number;
  /** The clock; default: the machine’s. */
  readonly now?: () => number;
}

export interface RunningServer {
  /** `http://127.0.0.1:8787` */
  readonly url: string;
  readonly address: AddressInfo;
  /** The address for clients of Cocoro; null: none. */
  readonly cocoroUrl: string | null;
  /** An address that opens the console signed in; valid once, within 15 minutes. */
  createSignInLink(): string;
  /**
   * Accepts no more requests, waits for running answers, returns jobs to the queue, closes the memories. Calling it
   * again has no effect: the process may also be killed without losing acknowledged data.
   */
  stop(): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;
/** The time for cancelled requests to store what they have, in milliseconds. */
const CANCEL_GRACE_MS = 2_000;
const DAY_MS = 86_400_000;

/** Removes old entries of the audit log now and every day. */
function startPruningAudit(options: ServerOptions): NodeJS.Timeout | undefined {
  const { settings, retainAuditDays: days, now = Date.now } = options;
  if (days === undefined) return undefined;
  const prune = () => settings.audit.removeBefore(now() - days * DAY_MS);
  prune();
  return setInterval(prune, DAY_MS).unref();
}

/**
 * Starts the server; when this resolves it answers.
 * @throws MemoryError INVALID_INPUT when it cannot listen there
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const logFeed = new LogFeed(options.log);
  const { log } = logFeed;
  const { parts, cutOff } = assemble({ ...options, log });
  const { host, corsOrigins } = options;
  const appOptions = { host, corsOrigins, log, cutOff: cutOff.signal };
  const app = createApp(parts.server, appOptions);
  const main = { fetch: app.fetch, host, port: options.port, webSocketPaths: [OPERATIONS.streamEvents.path] };
  const cocoro = (port: number) => {
    const { fetch } = createCocoroApp({ app, parts: parts.server, logFeed, options: appOptions });
    return { fetch, host, port, webSocketPaths: COCORO_WEB_SOCKETS };
  };
  let listeners: Listeners;
  try {
    await parts.server.models.settled();
    const { cocoroPort } = options;
    listeners = await openListeners([main, ...(cocoroPort === undefined ? [] : [cocoro(cocoroPort)])]);
  } catch (error) {
    await parts.stop(0);
    throw error;
  }
  const resuming = parts.server.memories.resume().catch((error: unknown) => {
    log(`The memories cannot be listed: ${messageOf(error)}`, 'error');
  });
  const pruning = startPruningAudit(options);
  const stop = async () => {
    clearInterval(pruning);
    parts.beginToStop();
    listeners.startClosing();
    parts.server.hub.close();
    logFeed.close();
    await within(options.graceMs ?? DEFAULT_GRACE_MS, listeners.whenAnswered());
    cutOff.abort(new MemoryError('CLOSED', 'The server is stopping.'));
    await within(CANCEL_GRACE_MS, listeners.whenAnswered());
    await parts.stop(CANCEL_GRACE_MS);
    await resuming;
    await listeners.close();
  };
  const [address, cocoroAddress] = listeners.addresses as [AddressInfo, AddressInfo?];
  let stopping: Promise<void> | undefined;
  const url = urlOf(address);
  return {
    url,
    address,
    cocoroUrl: cocoroAddress ? urlOf(cocoroAddress) : null,
    createSignInLink: () => `${url}/#code=${parts.server.signIn.createCode()}`,
    stop: () => (stopping ??= stop()),
  };
}

export function assemble(options: ServerOptions): {
  parts: { server: ServerParts; beginToStop(): void; stop(graceMs: number): Promise<void> };
  cutOff: AbortController;
} {
  const { dataDir, store, settings, worker, log, now = Date.now } = options;
  const metrics = new Metrics();
  const hub = new EventHub();
  const changes = new ChangeFeed((memoryId) => relay.changed(memoryId));
  const models = new Models({
    settings,
    overrides: options.modelOverrides ?? {},
    onCall(call) {
      metrics.onModelCall(call);
      settings.usage.addModelCall(modelUseOf(call));
    },
    traceFile: options.traceFile ?? join(dataDir, 'trace.jsonl'),
    log,
  });
  const memories = new Memories({
    ...options,
    models,
    publish: (memoryId, event) => relay.publish(memoryId, event),
    onChange: (memoryId) => changes.publish(memoryId),
    now,
    onWorkerEvent: (event) => {
      metrics.onWorkerEvent(event);
      logWork(log, event);
    },
    onRecall(memoryId, metadata, outcome) {
      if (!outcome.isLive) return;
      metrics.onRecall(metadata, outcome);
      settings.usage.addRecall({ at: now(), memoryId, ...recallUseOf(metadata, outcome) });
    },
    onIngest: (added) => metrics.onIngest(added),
    onExchange: () => metrics.onExchange(),
  });
  const relay = new Relay({ place: { dataDir, store }, hub, changes, memories, log });
  const auth = new Auth({ tokens: settings.tokens, rateLimitPerMinute: options.rateLimitPerMinute, now });
  const version = packageVersion();
  const openApi = once(() => createOpenApi(Object.values(OPERATIONS), version));
  let isStopping = false;
  const server: ServerParts = {
    settings,
    memories,
    models,
    modelAccess: options.modelAccess ?? NO_ACCESS,
    hub,
    streams: new StreamLimit(),
    writeProbe: new WriteProbe(dataDir, now),
    storeProbe: new StoreProbe(
      store === undefined ? null : () => memoryExists({ dataDir, store }, 'default'),
      now,
    ),
    changes,
    auth,
    signIn: new SignIn({ tokens: settings.tokens, now }),
    metrics,
    documents: { openApi, docsPage: once(() => createPage(openApi())) },
    dataDir,
    bodyLimitBytes: options.bodyLimitBytes,
    version,
    worker,
    isStopping: () => isStopping,
    now,
  };
  const beginToStop = () => {
    isStopping = true;
    changes.close();
  };
  const stop = async (graceMs: number) => {
    beginToStop();
    hub.close();
    await memories.stop(graceMs);
    await relay.stop();
    models.stop();
  };
  return { parts: { server, beginToStop, stop }, cutOff: new AbortController() };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const answered = new AbortController();
  const limit = pause(limitMs, undefined, { signal: answered.signal }).catch(() => {});
  await Promise.race([work, limit]).finally(() => answered.abort());
}

function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : address;
  return `http://${family === 'IPv6' && host !== 'localhost' ? `[${host}]` : host}:${port}`;
}

/** Two folders above this file, in the sources and in the build. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
