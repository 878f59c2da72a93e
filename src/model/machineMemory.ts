import { totalmem } from 'node:os';

/** How much memory the machine has or, where that is less, this process may use; in bytes. */
export function machineMemoryBytes(): number {
  // 0 or more than the machine has, where nothing limits the process.
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
