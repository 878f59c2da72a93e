import { openMemory, type MemoryOptions, type ScanReport } from '../../engine/engine.ts';
import { serveMcpOverStdio } from '../../serve/mcp/mcp.ts';
import { chosenSensitive } from '../../settings/settings.ts';
import { untilStopped } from '../interrupt.ts';
import { createLog } from '../log.ts';
import { embedderOf, modelOf, placeOf, withMemory } from '../opening.ts';
import { withStoredSettings } from '../settings.ts';
import { printNote } from '../terminal.ts';
import type { McpFlags } from './flags.ts';

/** Serves until the client closes its end, Ctrl-C or SIGTERM. Standard output is for the client. */
export async function serve({ settings, roots }: McpFlags, version: string): Promise<void> {
  const { memoryId, timeZone } = settings;
  const log = createLog({ logLevel: 'warn', logFormat: 'text' });
  // Files in the folder are readable only by the user who runs the server.
  process.umask(0o077);
  const options: MemoryOptions = {
    ...placeOf(settings),
    memoryId,
    embedder: embedderOf(settings),
    model: modelOf(settings),
    notes: { global: roots.global, ...(roots.project !== null && { project: roots.project }) },
    onNotes: ({ skipped, warnings }: ScanReport) => {
      for (const { uri, message } of [...skipped, ...warnings]) log(`${uri}: ${message}`, 'warn');
    },
    onWorkerEvent: (event) => {
      if (event.type === 'failed') log(`Job ${event.jobId} (${event.kind}) failed: ${event.error}`, 'warn');
    },
    ...(timeZone !== undefined && { timeZone }),
  };
  await untilStopped(
    async (signal) =>
      withStoredSettings(settings.dataDir, async (stored) => {
        const sensitive = () => chosenSensitive(stored.get(), memoryId) ?? settings.sensitive ?? 'mask';
        await withMemory(await openMemory({ ...options, sensitive }), async (memory) => {
          const access = { memory, scope: 'operate', version, log } as const;
          await serveMcpOverStdio(access, { input: process.stdin, output: process.stdout, signal });
        });
      }),
    () => printNote('stopping after the running requests.'),
  );
}
