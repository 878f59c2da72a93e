import { z } from 'zod';
import { operation } from '../operation.ts';
import { PAGE_HEADERS } from '../page/page.ts';

export const serverOperations = {
  health: operation('health', {
    tag: 'server',
    summary: 'Whether the server can do its work. 503 when it cannot.',
    access: 'open',
    answer: z.object({
      status: z.enum(['ok', 'stopping', 'unwritable']),
      version: z.string(),
      writable: z.boolean().describe('Whether memories can be written.'),
      worker: z.boolean().describe('Whether background jobs run in this process.'),
      models: z
        .object({ chat: z.boolean(), light: z.boolean(), vision: z.boolean(), embedding: z.boolean() })
        .describe('Which models are configured.'),
    }),
    handle({ parts, reply }) {
      const writable = parts.writeProbe.isWritable();
      const status = parts.isStopping() ? 'stopping' : writable ? 'ok' : 'unwritable';
      if (status !== 'ok') reply.status = 503;
      const { chat, light, vision, embedder } = parts.models;
      const models = {
        chat: chat !== null,
        light: light !== null,
        vision: vision !== null,
        embedding: embedder !== null,
      };
      return { status, version: parts.version, writable, worker: parts.worker, models } as const;
    },
  }),

  metrics: operation('metrics', {
    tag: 'server',
    summary: 'What Prometheus reads.',
    description: 'Needs a token unless the settings open it (`metricsOpen`).',
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
    summary: 'This interface, as an OpenAPI 3.1 document.',
    access: 'open',
    answer: z.looseObject({ openapi: z.string() }),
    handle: ({ parts }) => ({ ...parts.documents.openApi() }),
  }),

  docs: operation('docs', {
    tag: 'server',
    summary: 'This interface, as a page to read.',
    access: 'open',
    answer: 'text/html',
    handle: ({ parts }) => new Response(parts.documents.docsPage(), { headers: PAGE_HEADERS }),
  }),
};
