import type { Instant } from '../../../model/model.ts';

/** A file whose bytes can be read, also several times. */
export interface SourceFile {
  /** Its path within the folder or archive, with slashes; of a single file its name. */
  readonly path: string;
  /** The name of the folder it lies in; empty where that is not known. */
  readonly folder: string;
  /** When it was last written. */
  readonly modifiedAt: Instant;
  /** @throws MemoryError FILE_UNREADABLE */
  bytes(): AsyncIterable<Buffer>;
}
