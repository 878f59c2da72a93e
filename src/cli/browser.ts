import { spawn } from 'node:child_process';
import { printNote } from './terminal.ts';

/** The command that opens an address in the browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser. Without a browser it says so; the address was printed. */
export async function openBrowser(address: string): Promise<void> {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve) => {
    child.once('error', () => {
      printNote('no browser could be opened; open the address of the console yourself.');
      resolve();
    });
    child.once('spawn', resolve);
  });
  child.unref();
}
