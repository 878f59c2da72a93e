/** Sources of the master key: a file, an environment variable, or the system's keychain. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, makePrivateFolderOf, MemoryError, writeNewFile } from '../model/model.ts';
import { KEY_BYTES } from './cipher.ts';

/** The default file in the data folder. */
export const MASTER_KEY_FILE = 'master.key';

export type MasterKeySetting =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'environment'; readonly variable: string }
  | { readonly from: 'keychain'; readonly account: string };

/**
 * Reads `file:PATH`, `env:VARIABLE`, `keychain` or `keychain:ACCOUNT`.
 * @throws MemoryError INVALID_INPUT
 */
export function parseMasterKeySetting(text: string): MasterKeySetting {
  const [, from, value = ''] = /^(file|env|keychain)(?::(.*))?$/s.exec(text) ?? [];
  if (from === 'file' && value !== '') return { from: 'file', path: value };
  if (from === 'env' && /^[A-Za-z_]\w*$/.test(value)) return { from: 'environment', variable: value };
  if (from === 'keychain') return { from: 'keychain', account: value || 'omoide' };
  throw new MemoryError(
    'INVALID_INPUT',
    `The master key is given as file:PATH, env:VARIABLE, keychain or keychain:ACCOUNT, not as ${JSON.stringify(text)}.`,
  );
}

/** A place where a master key is stored. */
export interface MasterKey {
  /** For messages. */
  readonly name: string;
  /** Null when there is none. @throws MemoryError FILE_UNREADABLE, INVALID_INPUT when it is not a key */
  read(): Buffer | null;
  /** Stores a key if there is none yet. @throws MemoryError READ_ONLY, KEY_MISSING when the place is not writable by us */
  create(key: Buffer): void;
  /** Creates a key that becomes current when `finish` is called. @throws MemoryError INVALID_INPUT when not possible */
  replace(): { readonly key: Buffer; finish(): void };
  /** Continues with a key that was `unfinished`. */
  resume(key: Buffer): { readonly key: Buffer; finish(): void };
  /** A new key whose replacement was interrupted before or after everything was encrypted with it; null if none. */
  unfinished(): Buffer | null;
}

/** @param given default: the value of `OMOIDE_MASTER_KEY`, else a file in the folder */
export function openMasterKey(given: MasterKeySetting | undefined, folder: string): MasterKey {
  const named = process.env['OMOIDE_MASTER_KEY'];
  const setting = given ?? (named ? parseMasterKeySetting(named) : undefined);
  if (setting?.from === 'environment') return inEnvironment(setting.variable);
  if (setting?.from === 'keychain') return inKeychain(setting.account);
  return inFile(setting?.path ?? join(folder, MASTER_KEY_FILE));
}

/** Creates a key, or uses one that another process has just created. @throws MemoryError KEY_MISSING, READ_ONLY */
export function createMasterKey(place: MasterKey): Buffer {
  place.create(newKey());
  const kept = place.read();
  if (!kept) throw new MemoryError('KEY_MISSING', `The master key was not stored in ${place.name}.`);
  return kept;
}

export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

function inFile(path: string): MasterKey {
  return {
    name: path,
    read() {
      try {
        return parseKey(readFileSync(path, 'utf8'), path);
      } catch (cause) {
        if (errorCode(cause) === 'ENOENT') return null;
        if (cause instanceof MemoryError) throw cause;
        throw new MemoryError('FILE_UNREADABLE', `The master key ${path} cannot be read.`, { cause });
      }
    },
    create(key) {
      try {
        makePrivateFolderOf(path);
        // Another process may have created one in the meantime; then that one is used.
        writeNewFile(path, `${key.toString('base64')}\n`);
      } catch (cause) {
        throw new MemoryError('READ_ONLY', `The master key ${path} cannot be written.`, { cause });
      }
    },
    replace() {
      rmSync(`${path}.next`, { force: true });
      const next = inFile(`${path}.next`);
      next.create(newKey());
      const key = next.read();
      if (!key) throw new MemoryError('READ_ONLY', `The master key ${path} cannot be written.`);
      return this.resume(key);
    },
    resume: (key) => ({ key, finish: () => renameSync(`${path}.next`, path) }),
    unfinished: () => inFile(`${path}.next`).read(),
  };
}

/** A key that somebody else manages must be replaced by them. */
function externallyManaged(name: string): Pick<MasterKey, 'replace' | 'resume' | 'unfinished'> {
  const refuse = () => {
    throw new MemoryError(
      'INVALID_INPUT',
      `The master key is in ${name}: give the place of the new one with --to.`,
    );
  };
  return { replace: refuse, resume: refuse, unfinished: () => null };
}

function inEnvironment(variable: string): MasterKey {
  const name = `the environment variable ${variable}`;
  return {
    ...externallyManaged(name),
    name,
    read() {
      const text = process.env[variable];
      return text === undefined || text === '' ? null : parseKey(text, name);
    },
    create() {
      throw new MemoryError(
        'KEY_MISSING',
        `${variable} holds no master key. Make one with: openssl rand -base64 32`,
      );
    },
  };
}

const SERVICE = 'omoide';

/** `security` of macOS, else `secret-tool` of libsecret. */
function inKeychain(account: string): MasterKey {
  const name = `the keychain's ${SERVICE}/${account}`;
  const isMac = process.platform === 'darwin';
  return {
    ...externallyManaged(name),
    name,
    read() {
      const text = isMac
        ? callKeychain('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w'])
        : callKeychain('secret-tool', ['lookup', 'service', SERVICE, 'account', account]);
      return text === null || text.trim() === '' ? null : parseKey(text, name);
    },
    create(key) {
      const text = key.toString('base64');
      // `security` accepts the secret only as an argument; with `-i` it reads the command from its input.
      const kept = isMac
        ? callKeychain('security', ['-i'], `add-generic-password -s ${SERVICE} -a ${account} -w ${text}\n`)
        : callKeychain(
            'secret-tool',
            ['store', '--label=Omoide', 'service', SERVICE, 'account', account],
            text,
          );
      if (kept === null) throw new MemoryError('READ_ONLY', `The master key cannot be stored in ${name}.`);
    },
  };
}

/** The output; null when it failed, as for a missing entry. @throws MemoryError when the program is missing */
function callKeychain(program: string, args: readonly string[], input = ''): string | null {
  try {
    return execFileSync(program, args, {
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: 60_000,
    });
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') return null;
    throw new MemoryError('KEY_MISSING', `The keychain needs ${program}, which is not installed.`, {
      cause,
    });
  }
}

/** @throws MemoryError INVALID_INPUT */
function parseKey(text: string, name: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new MemoryError('INVALID_INPUT', `The master key in ${name} is not ${KEY_BYTES} bytes in base64.`);
}
