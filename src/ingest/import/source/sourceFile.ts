import type { Instant } from '../../../model/model.ts';

/** A file whose bytes can be read several times. */
export interface SourceFile {
  /** Its path within the folder or archive, with slashes; of a single file its name. */
  readonly path: string;
  /** The name of the folder that contains it; empty when unknown. */
  readonly folder: string;
  /** When it was last written. */
  readonly modifiedAt: Instant;
  /** @throws MemoryError FILE_UNREADABLE */
  bytes(): AsyncIterable<Buffer>;
}
