/** What a turn teaches: derivations, and the worker that carries them out. */
export { createEmbedDerivation } from './embed.ts';
export { createWorker, type Derivation, type Worker, type WorkerEvent } from './worker.ts';
