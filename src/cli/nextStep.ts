import type { ErrorCode } from '../engine/engine.ts';

/** What to do about a failure whose message does not say it. */
const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  FILE_UNREADABLE: 'Check the path: it is taken from the current folder.',
  UNKNOWN_FORMAT:
    'Give the file as the other program exported it, a ZIP as it is, or name its form with --format. docs/importing.md has every form.',
  NOT_A_MEMORY:
    'Name another folder with --data. If it was a memory, “omoide restore COPY --data NEW_FOLDER” brings back a copy.',
  MEMORY_TOO_NEW: 'Install the version that wrote it, or a newer one: npm install omoide@latest',
  KEY_MISSING:
    'Put keys.db and the master key that belong to the memory into its folder, or set OMOIDE_MASTER_KEY (docs/trust.md).',
  NO_MODEL: 'Name a model, for example --chat-model ollama:qwen3 (docs/models.md).',
  MODEL_FAILED:
    'See that the model’s server runs and that its key and name are right: “omoide doctor” asks it.',
  EMBEDDER_FAILED:
    'See that its server runs and that its key is right, or leave it out: the bundled one needs neither.',
  READ_ONLY: 'Name a folder that you may write to with --data.',
  DISK_FULL: 'Make room and run the command again: what was acknowledged is kept.',
  BUSY: 'Another process holds it. Run the command again when that has ended.',
};

/** Null when the message says all there is to say. */
export function nextStep(code: ErrorCode, message: string): string | null {
  // A message that names a command has said what to do.
  return message.includes('“omoide ') ? null : (NEXT_STEPS[code] ?? null);
}
