import { BlockList, isIP } from 'node:net';
import { defined, MemoryError } from '../engine/engine.ts';
import { openSettings, settingsPath, type Settings } from '../settings/settings.ts';
import type { AddCommand } from './command.ts';
import { addConfigFlags, readConfig, type Config, type ReadConfig } from './configuration/configuration.ts';
import { readProfileFiles } from './profiles.ts';
import { aborted, untilStopped } from './interrupt.ts';
import { createLog } from './log.ts';
import { openBrowser } from './browser.ts';
import { printJson, printLines, printNote, style } from './terminal.ts';

interface Flags {
  readonly json?: true;
  readonly open?: true;
}

const MIB = 1_048_576;

export const addServe: AddCommand = (program) => {
  const command = program
    .command('serve')
    .description('Serves a companion with a memory over HTTP, until Ctrl-C.');
  addConfigFlags(command)
    .option('--open', 'open the console in the browser, signed in')
    .option('--json', 'print the address and the first token as JSON')
    .action(async (flags: Flags) => {
      const read = readConfig(command);
      checkHost(read);
      // Files in the folder are readable only by the user who runs the server.
      process.umask(0o077);
      const settings = openSettings(settingsPath(read.config.data), {
        givenToken: configuredToken(read.config),
      });
      try {
        await serve(read.config, settings, flags);
      } finally {
        settings.close();
      }
    });
};

async function serve(config: Config, settings: Settings, flags: Flags): Promise<void> {
  const log = createLog(config);
  const profiles = await readProfileFiles(config.profiles);
  await untilStopped(
    async (signal) => {
      // Loaded only now, so that other commands start faster.
      const { startServer } = await import('../serve/serve.ts');
      const { data: dataDir, bodyLimitMib, openMemoriesMib, keyVariables, modelHosts, ...shared } = config;
      const server = await startServer({
        ...defined({ ...shared, ...startOptions(config) }),
        dataDir,
        settings,
        profiles,
        bodyLimitBytes: Math.round(bodyLimitMib * MIB),
        ...(openMemoriesMib !== undefined && { openMemoriesBytes: openMemoriesMib * MIB }),
        modelAccess: { keyVariables, modelHosts },
        log,
      }).catch((error: unknown) => {
        throw listeningFailed(error, config);
      });
      const signInLink = flags.open || process.stdout.isTTY ? server.createSignInLink() : null;
      const { url, cocoroUrl } = server;
      const hasModel = config.chatModel !== undefined || settings.get().active.chat !== null;
      printStartup({ url, cocoroUrl, token: firstToken(settings), signInLink, hasModel }, flags);
      if (flags.open && signInLink !== null) await openBrowser(signInLink);
      await aborted(signal);
      await server.stop();
    },
    () => printNote('stopping: streams are closed and jobs released. Press Ctrl-C again to stop at once.'),
  );
}

/** Creates a token when there is none; null otherwise. */
function firstToken({ tokens }: Settings): string | null {
  return tokens.count() === 0 ? tokens.create({ name: 'first' }).token : null;
}

interface StartupInfo {
  readonly url: string;
  readonly cocoroUrl: string | null;
  readonly token: string | null;
  /** Null when nobody would see it: in the log of a service. */
  readonly signInLink: string | null;
  readonly hasModel: boolean;
}

function printStartup({ url, cocoroUrl, token, signInLink, hasModel }: StartupInfo, { json }: Flags): void {
  const docs = new URL('/docs', url).href;
  if (json)
    return printJson({
      url,
      docs,
      token,
      ...(cocoroUrl !== null && { cocoroUrl }),
      ...(signInLink !== null && { signInLink }),
    });
  printLines([
    `Omoide listens at  ${style('bold', url)}`,
    ...(signInLink === null
      ? []
      : [`Console            ${style('bold', signInLink)}  (signs in once, within 15 minutes)`]),
    `Documentation      ${docs}`,
    ...(cocoroUrl === null ? [] : [`For Cocoro         ${cocoroUrl}`]),
    ...(token === null
      ? []
      : [`Token              ${style('bold', token)}  (shown this once; keep it safe)`]),
  ]);
  if (!hasModel) {
    printNote(
      'no language model is chosen: messages are stored and recalled, but chat gives no answers. ' +
        'Choose one in the console, or start with --chat-model ollama:qwen3 (docs/models.md).',
    );
  }
}

function configuredToken({ token }: Config): { name: string; token: string } | null {
  return token === undefined ? null : { name: 'OMOIDE_TOKEN', token };
}

/** Options of a server or worker that are not named as in the configuration. */
export function startOptions(config: Config) {
  const { chatModel: chat, lightModel: light, visionModel: vision, embedder } = config;
  return {
    modelOverrides: defined({ chat, light, vision, embedder }),
    retention: defined({
      turnsDays: config.retainTurnsDays,
      journalDays: config.retainJournalDays,
      versionsDays: config.retainVersionsDays,
    }),
  };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Access from other machines must be requested on the command line, so that it is never enabled by mistake in the
 * environment or a file.
 */
function checkHost({ config: { host }, values }: ReadConfig): void {
  if (isLoopback(host)) return;
  const source = values.find(({ name }) => name === 'host')?.source;
  if (source !== '--host') {
    throw new MemoryError(
      'INVALID_INPUT',
      `${source}: other machines could reach ${host}. Such a host must be given on the command line: --host ${host}`,
    );
  }
  printNote(
    `every machine that reaches ${host} can use the server with a token, and the connection is not encrypted. ` +
      'A reverse proxy with TLS is better (deploy/README.md).',
  );
}

const LISTENING_FAILED: Readonly<Record<string, (flag: string) => string>> = {
  EADDRINUSE: (flag) =>
    `another program listens there, perhaps Omoide itself. Choose another port with ${flag}, or 0 for any free one.`,
  EACCES: () => 'this user may not listen there. Every user may use ports from 1024 on.',
  EADDRNOTAVAIL: () =>
    'this machine has no such address. Without --host, the server listens on this machine only.',
  ENOTFOUND: () =>
    'there is no machine with this name. Without --host, the server listens on this machine only.',
};

function listeningFailed(error: unknown, { host, port, cocoroPort }: Config): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = LISTENING_FAILED[code];
  if (reason === undefined) return error;
  const isCocoro = cause instanceof Error && 'port' in cause && cause.port === cocoroPort;
  const advice = reason(isCocoro ? '--cocoro-port' : '--port');
  const message = `Cannot listen at ${host}, port ${isCocoro ? cocoroPort : port}: ${advice}`;
  return new MemoryError('INVALID_INPUT', message, { cause: error });
}
