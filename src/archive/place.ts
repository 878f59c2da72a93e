/** Stores objects. We never replace or delete one. */
export interface ArchivePlace {
  /** Its name in messages, without secrets. */
  readonly name: string;
  /** The objects with this prefix, in the order of their names, each once, in its first version. */
  list(prefix: string): Promise<ArchivedObject[]>;
  /** Null when there is none. @throws MemoryError FILE_UNREADABLE */
  read(object: ArchivedObject): Promise<Uint8Array | null>;
  /**
   * Writes a new object, which is stored when this returns.
   * @returns null when an object with that name exists
   * @throws MemoryError READ_ONLY, DISK_FULL
   */
  write(name: string, content: Uint8Array): Promise<ArchivedObject | null>;
  /** Whether it can currently neither be deleted nor replaced; null when this is unknown. */
  isLocked(object: ArchivedObject): Promise<boolean | null>;
}

export interface ArchivedObject {
  readonly name: string;
  /** For a bucket with versions. */
  readonly version: string | null;
}
