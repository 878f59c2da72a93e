/** Concurrency: mutual exclusion, queues, time limits and priorities. */
export { AsyncQueue } from './asyncQueue.ts';
export { abortable, createDeadline, withinTime, type Deadline } from './deadline.ts';
export { ForegroundPriority } from './foregroundPriority.ts';
export { KeyedMutex } from './mutex.ts';
export { PendingWork } from './pendingWork.ts';
export { createPauses, type Pause } from './pauses.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
