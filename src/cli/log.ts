import type { Log } from '../serve/serve.ts';
import { formatInstant, plain, printLines } from './terminal.ts';

/** Each level includes those before it. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

/** Writes lines to standard error: as text for people, or as JSON objects for programs. */
export function createLog({
  logLevel,
  logFormat,
}: {
  logLevel: (typeof LOG_LEVELS)[number];
  logFormat: 'text' | 'json';
}): Log {
  const max = LOG_LEVELS.indexOf(logLevel);
  return (line, level = 'info') => {
    if (LOG_LEVELS.indexOf(level) > max) return;
    const time = new Date();
    const message = plain(line);
    printLines(
      [
        logFormat === 'json'
          ? JSON.stringify({ time: time.toISOString(), level, message })
          : `${formatInstant(time.getTime())} ${level.padEnd(5)} ${message}`,
      ],
      process.stderr,
    );
  };
}
