/** Serves the sample memories with the console until Ctrl-C. */
import { aborted, untilStopped } from './interrupt.ts';
import { withStoredSettings } from './settings.ts';
import { printLines, printNote, style } from './terminal.ts';

/** The port of `omoide serve`; if it is in use, any free port. */
const PORT = 7438;
const RATE_LIMIT_PER_MINUTE = 6_000;
const BODY_LIMIT_BYTES = 33_554_432;

/** @param memoryId the memory that is shown first */
export async function serveDemo(dataDir: string, memoryId: string): Promise<void> {
  await withStoredSettings(dataDir, (settings) =>
    untilStopped(
      async (signal) => {
        const { startServer } = await import('../serve/serve.ts');
        const start = (port: number) =>
          startServer({
            dataDir,
            host: '127.0.0.1',
            port,
            settings,
            worker: true,
            reorganize: 'never',
            rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
            bodyLimitBytes: BODY_LIMIT_BYTES,
            corsOrigins: [],
            log: () => {},
          });
        const server = await start(PORT).catch(() => start(0));
        const link = server.createSignInLink().replace('/#', `/m/${memoryId}#`);
        printLines([
          `${style('bold', 'The console')}, on these sample memories, until Ctrl-C:`,
          `  ${style(['bold', 'cyan'], link)}`,
          style('dim', '  (signs in once, within 15 minutes; “npm run demo” is the whole demo)'),
        ]);
        await aborted(signal);
        await server.stop();
      },
      () => printNote('stopping. Press Ctrl-C again to stop at once.'),
    ),
  );
}
