/** The server with its console on a data folder, and a Chromium that is signed in to it, for scripts. */
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { openSettings, settingsPath } from '../src/settings/settings.ts';
import { startServer } from '../src/serve/serve.ts';

export interface ConsoleServer {
  readonly url: string;
  /** A signed-in page in a new browser profile. */
  readonly openPage: (look: BrowserContextOptions) => Promise<Page>;
  readonly stop: () => Promise<void>;
}

type ModelOverrides = NonNullable<Parameters<typeof startServer>[0]['modelOverrides']>;

/** Listens on a free port of this machine. Learning is off. Needs Chromium and the built console. */
export async function startConsole(
  dataDir: string,
  modelOverrides: ModelOverrides = {},
): Promise<ConsoleServer> {
  const settings = openSettings(settingsPath(dataDir));
  const server = await startServer({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    settings,
    worker: false,
    rateLimitPerMinute: 100_000,
    bodyLimitBytes: 1_048_576,
    corsOrigins: [],
    reorganize: 'never',
    modelOverrides,
    log: () => {},
  });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  return {
    url: server.url,
    async openPage(look) {
      const page = await (await browser.newContext(look)).newPage();
      await page.goto(server.createSignInLink());
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    async stop() {
      await browser.close();
      await server.stop();
      settings.close();
    },
  };
}
