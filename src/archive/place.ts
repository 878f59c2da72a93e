/** Where objects lie. None is ever replaced or deleted by us. */
export interface ArchivePlace {
  /** What it is called in messages; without secrets. */
  readonly name: string;
  /** The objects whose names begin so, in the order of their names, each once, as it was written first. */
  list(prefix: string): Promise<ArchivedObject[]>;
  /** Null when there is none. @throws MemoryError FILE_UNREADABLE */
  read(object: ArchivedObject): Promise<Uint8Array | null>;
  /**
   * Writes an object that is not there yet; when this returns it is kept.
   * @returns null when there is one of that name already
   * @throws MemoryError READ_ONLY, DISK_FULL
   */
  write(name: string, content: Uint8Array): Promise<ArchivedObject | null>;
  /** Whether it can neither be deleted nor replaced now; null where the place does not say. */
  isLocked(object: ArchivedObject): Promise<boolean | null>;
}

export interface ArchivedObject {
  readonly name: string;
  /** Of a bucket that keeps versions. */
  readonly version: string | null;
}
