import { z } from 'zod';
import { operation } from '../operation.ts';
import type { ServerParts } from '../parts.ts';
import { instant } from '../shapes/shapes.ts';
import { PAGE_HEADERS } from '../page/page.ts';

/** Each costs a statement, and a server of a database can have thousands open. */
const MAX_COUNTED = 256;

/** Pending background work of open memories, without their names, since anybody may read it. */
async function backgroundWork({ memories }: ServerParts) {
  const waiting = new Map<string, { kind: string; since: number; until: number }>();
  let failedJobs = 0;
  for (const { jobs } of (await memories.opened()).slice(-MAX_COUNTED)) {
    for (const { kind, since, until } of jobs.outages()) waiting.set(kind, { kind, since, until });
    failedJobs += (await jobs.count()).failed;
  }
  return { waiting: [...waiting.values()], failedJobs };
}

const NO_WORK = { waiting: [], failedJobs: 0 };

/** Why the server does not work; null: it does. */
function brokenState(state: { isStopping: boolean; isReachable: boolean; writable: boolean }) {
  if (state.isStopping) return 'stopping';
  if (!state.isReachable) return 'unreachable';
  return state.writable ? null : 'unwritable';
}

export const serverOperations = {
  health: operation('health', {
    tag: 'server',
    summary: 'Reports whether the server works. 503 when it does not.',
    access: 'open',
    answer: z.object({
      status: z
        .enum(['ok', 'degraded', 'stopping', 'unreachable', 'unwritable'])
        .describe(
          '`degraded`: it answers, but background work is waiting or has failed. `unreachable`: the database does not answer.',
        ),
      version: z.string(),
      writable: z.boolean().describe('Whether memories can be written.'),
      worker: z.boolean().describe('Whether background jobs run in this process.'),
      models: z
        .object({ chat: z.boolean(), light: z.boolean(), vision: z.boolean(), embedding: z.boolean() })
        .describe('The configured models.'),
      waiting: z
        .array(z.object({ kind: z.string(), since: instant, until: instant }))
        .describe('Kinds of background work whose model cannot be reached or gives invalid replies.'),
      failedJobs: z
        .int()
        .describe(
          `Permanently failed jobs of the ${MAX_COUNTED} memories that were opened last; they wait for a retry.`,
        ),
    }),
    async handle({ parts, reply }) {
      const isReachable = await parts.storeProbe.isReachable();
      const writable = isReachable && parts.writeProbe.isWritable();
      const { waiting, failedJobs } = isReachable ? await backgroundWork(parts) : NO_WORK;
      const broken = brokenState({ isStopping: parts.isStopping(), isReachable, writable });
      const isDegraded = waiting.length > 0 || failedJobs > 0;
      const status = broken ?? (isDegraded ? 'degraded' : 'ok');
      if (broken) reply.status = 503;
      const { chat, light, vision, embedder } = parts.models;
      const models = {
        chat: chat !== null,
        light: light !== null,
        vision: vision !== null,
        embedding: embedder !== null,
      };
      return {
        status,
        version: parts.version,
        writable,
        worker: parts.worker,
        models,
        waiting,
        failedJobs,
      } as const;
    },
  }),

  metrics: operation('metrics', {
    tag: 'server',
    summary: 'Returns metrics in the format of Prometheus.',
    description: 'Requires a token unless `metricsOpen` is set.',
    access: 'metrics',
    answer: 'text/plain',
    async handle({ parts }) {
      const text = await parts.metrics.text({
        memories: () => parts.memories.opened(),
        listeners: () => parts.hub.size,
      });
      return new Response(text, { headers: { 'content-type': parts.metrics.contentType } });
    },
  }),

  openApi: operation('openApi', {
    tag: 'server',
    summary: 'Returns this interface as an OpenAPI 3.1 document.',
    access: 'open',
    answer: z.looseObject({ openapi: z.string() }),
    handle: ({ parts }) => ({ ...parts.documents.openApi() }),
  }),

  docs: operation('docs', {
    tag: 'server',
    summary: 'Returns this interface as an HTML page.',
    access: 'open',
    answer: 'text/html',
    handle: ({ parts }) => new Response(parts.documents.docsPage(), { headers: PAGE_HEADERS }),
  }),
};
