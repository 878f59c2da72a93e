/** What the processes that serve the memories of one database tell each other. */

/** Called for what any of them sent, also for what this one did, but for `onChange`. */
export interface BroadcastListener {
  /** Another process changed the memory. */
  readonly onChange: (memoryId: string) => void;
  /** An episode was kept that listeners are told of: a notification, a reminder, a message nobody asked for. */
  readonly onEvent: (memoryId: string, unitId: number) => void;
  /** What was sent by `send`. */
  readonly onMessage: (memoryId: string, message: string) => void;
  /** Something was forgotten: what was read before must not be used any more. */
  readonly onErased: (memoryId: string) => void;
  /** The database could not be reached for a while: any memory may have changed. */
  readonly onBreak: () => void;
}

export interface Broadcasts {
  /** Tells the others, soon, that the memory was changed. Not kept: whoever was away is told that all may have changed. */
  changed(memoryId: string): void;
  /** Has everybody look at once for events that were kept; they would within seconds anyway. */
  look(): void;
  /** Sends a message to every process, once each. Kept for those that cannot be reached now. @throws MemoryError BUSY */
  send(memoryId: string, message: string): Promise<void>;
  close(): Promise<void>;
}
