/** The HTTP server, for clients of its own interface and of OpenAI’s. */
export type { Log } from './log.ts';
export type { ModelOverrides } from './models.ts';
export { startServer, type RunningServer, type ServerOptions } from './server.ts';
export { startWorker, type RunningWorker, type WorkerOptions } from './worker.ts';
