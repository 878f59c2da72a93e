import type { Instant } from '../model/model.ts';
import type { SettingsFile } from './settingsFile.ts';

export interface AuditEntry {
  readonly at: Instant;
  readonly tokenId: string;
  readonly tokenName: string;
  /** The name of the operation: `recall`, `exportMemory`; `mcp` for an agent's request. */
  readonly action: string;
  readonly memoryId: string | null;
  /** `done`, or the code of the problem. */
  readonly outcome: string;
}

/** The audit log: who did what. It contains no text of what was said or asked. */
export interface Audit {
  /** Entries are written together within a second; those of the last second before a crash are lost. */
  note(entry: AuditEntry): void;
  /** Newest first. */
  list(page: { readonly limit: number; readonly memoryId?: string; readonly since?: Instant }): AuditEntry[];
  /** Removes entries older than this, except those of the last thirty days. Returns how many were removed. */
  removeBefore(at: Instant): number;
  /** Writes pending entries. */
  flush(): void;
}

const FLUSH_MS = 1_000;
const MAX_PENDING = 500;
const COLUMNS = 'at, token_id AS tokenId, token_name AS tokenName, action, memory_id AS memoryId, outcome';

export function createAudit(file: SettingsFile): Audit {
  let pending: AuditEntry[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const entries = pending;
    pending = [];
    if (entries.length === 0) return;
    file.write(() => {
      for (const { at, tokenId, tokenName, action, memoryId, outcome } of entries) {
        file.run(
          'INSERT INTO audit (at, token_id, token_name, action, memory_id, outcome) VALUES (?, ?, ?, ?, ?, ?)',
          at,
          tokenId,
          tokenName,
          action,
          memoryId,
          outcome,
        );
      }
    });
  };
  /** A full disk does not stop requests; entries that could not be written are lost. */
  const tryFlush = () => {
    try {
      flush();
    } catch {
      // `/api/health` reports the full disk.
    }
  };

  return {
    note(entry) {
      pending.push(entry);
      if (pending.length >= MAX_PENDING) tryFlush();
      else timer ??= setTimeout(tryFlush, FLUSH_MS).unref();
    },
    list({ limit, memoryId = null, since = 0 }) {
      tryFlush();
      return file
        .all<AuditEntry & object>(
          `SELECT ${COLUMNS} FROM audit WHERE at >= ?1 AND (?2 IS NULL OR memory_id = ?2) ORDER BY id DESC LIMIT ?3`,
          since,
          memoryId,
          limit,
        )
        .map((row) => ({ ...row }));
    },
    removeBefore: (at) =>
      file.run("DELETE FROM audit WHERE at < min(?, unixepoch('subsec') * 1000 - 2592000000)", at),
    flush: tryFlush,
  };
}
