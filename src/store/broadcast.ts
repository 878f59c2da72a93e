/** Messages between the processes that serve the memories of one database. */

/** Callbacks for messages of all processes, including this one, except `onChange`. */
export interface BroadcastListener {
  /** Another process changed the memory. */
  readonly onChange: (memoryId: string) => void;
  /** An episode was added about which listeners are notified: a notification, a reminder, a proactive message. */
  readonly onEvent: (memoryId: string, unitId: number) => void;
  /** What was sent by `send`. */
  readonly onMessage: (memoryId: string, message: string) => void;
  /** Something was forgotten: data that was read before must not be used any more. */
  readonly onErased: (memoryId: string) => void;
  /** The database was unreachable for a while: any memory may have changed. */
  readonly onBreak: () => void;
}

export interface Broadcasts {
  /** Tells other processes soon that the memory was changed. Not stored: a process that was disconnected gets `onBreak`. */
  changed(memoryId: string): void;
  /** Makes all processes check for new events at once; they would within seconds anyway. */
  look(): void;
  /** Sends a message to every process, once each; stored for processes that cannot be reached. @throws MemoryError BUSY */
  send(memoryId: string, message: string): Promise<void>;
  close(): Promise<void>;
}
