/** The location of a witness log: a file, or a URL that stores lines. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import {
  errorCode,
  makePrivateFile,
  makePrivateFolderOf,
  MemoryError,
  PRIVATE_FILE,
  messageOf,
} from '../../model/model.ts';

export interface WitnessPlace {
  readonly kind: 'file' | 'url';
  /** Its name in messages. */
  readonly name: string;
  /** All lines; null when the log does not exist yet. @throws MemoryError FILE_UNREADABLE */
  read(): Promise<string | null>;
  /** Creates it if it does not exist. @throws MemoryError READ_ONLY, DISK_FULL */
  create(): Promise<void>;
  /** Adds a line, which is stored when this returns. @throws MemoryError READ_ONLY, DISK_FULL */
  append(line: string): Promise<void>;
}

export function openWitnessPlace(where: string): WitnessPlace {
  return /^https?:\/\//i.test(where) ? urlPlace(where) : filePlace(where);
}

function filePlace(path: string): WitnessPlace {
  const read = (): string | null => {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return null;
      throw new MemoryError('FILE_UNREADABLE', `The witness log ${path} cannot be read.`, { cause });
    }
  };
  const write = (change: () => void): void => {
    try {
      makePrivateFolderOf(path);
      change();
    } catch (cause) {
      const code = errorCode(cause) === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
      throw new MemoryError(code, `The witness log ${path} cannot be written.`, { cause });
    }
  };
  return {
    kind: 'file',
    name: path,
    read: async () => read(),
    create: async () => write(() => makePrivateFile(path)),
    append: async (line) => {
      // An incomplete line from an interrupted write is terminated first.
      const text = read();
      const lineBreak = !text || text.endsWith('\n') ? '' : '\n';
      write(() => appendFlushed(path, `${lineBreak}${line}\n`));
    },
  };
}

function appendFlushed(path: string, text: string): void {
  const file = openSync(path, 'a', PRIVATE_FILE);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const TIMEOUT_MS = 10_000;

/** User and password in the URL are sent as HTTP Basic authentication, and do not appear in messages. */
function urlPlace(where: string): WitnessPlace {
  const url = new URL(where);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const headers: Record<string, string> =
    url.username === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  url.username = '';
  url.password = '';
  const name = url.href;
  const ask = async (init: RequestInit): Promise<Response> =>
    fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
  return {
    kind: 'url',
    name,
    async read() {
      const answer = await ask({ headers }).catch((error: unknown) => error);
      if (answer instanceof Response && answer.ok) return answer.text();
      if (answer instanceof Response && answer.status === 404) return null;
      throw new MemoryError(
        'FILE_UNREADABLE',
        `The witness log ${name} cannot be read: ${reasonOf(answer)}.`,
      );
    },
    create: async () => {},
    async append(line) {
      const typed = { ...headers, 'content-type': 'application/x-ndjson' };
      const answer = await ask({ method: 'POST', headers: typed, body: `${line}\n` }).catch(
        (error: unknown) => error,
      );
      if (answer instanceof Response && answer.ok) return;
      throw new MemoryError('READ_ONLY', `The witness log ${name} cannot be written: ${reasonOf(answer)}.`);
    },
  };
}

function reasonOf(answer: unknown): string {
  if (answer instanceof Response) return `it answers ${answer.status}`;
  return messageOf(answer);
}
