import type { ErrorCode } from '../engine/engine.ts';

/** What to do about a failure whose message does not say it. */
const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  FILE_UNREADABLE: 'Check the path: it is relative to the current folder.',
  UNKNOWN_FORMAT:
    'Use the file or ZIP that the other program exported, or give its format with --format. docs/importing.md lists all formats.',
  NOT_A_MEMORY:
    'Choose another folder with --data. If it was a memory, “omoide restore BACKUP --data NEW_FOLDER” restores a backup.',
  MEMORY_TOO_NEW: 'Install the version that wrote it, or a newer one: npm install omoide@latest',
  KEY_MISSING:
    'Put keys.db and the master key that belong to the memory into its folder, or set OMOIDE_MASTER_KEY (docs/trust.md).',
  NO_MODEL: 'Choose a model, for example --chat-model ollama:qwen3 (docs/models.md).',
  MODEL_FAILED:
    'Check that the model’s server runs and that its key and name are correct: “omoide doctor” tests it.',
  EMBEDDER_FAILED: 'Check that its server runs and that its key is correct, or use the bundled embedder.',
  READ_ONLY: 'Choose a writable folder with --data.',
  DISK_FULL: 'Free some space and run the command again: acknowledged data is kept.',
  BUSY: 'Another process uses it. Run the command again when that process has ended.',
};

/** Null when the message says all there is to say. */
export function nextStep(code: ErrorCode, message: string): string | null {
  // A message that names a command, and those about PostgreSQL, have said what to do.
  return message.includes('“omoide ') || message.startsWith('PostgreSQL') ? null : (NEXT_STEPS[code] ?? null);
}
