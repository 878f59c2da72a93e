import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { addConfigFlags, readConfig } from './configuration.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** @param file content of `omoide.json` in the folder */
function read(args: readonly string[], environment: Record<string, string> = {}, file?: unknown) {
  if (file !== undefined) writeFile('omoide.json', file);
  const command = addConfigFlags(new Command()).exitOverride();
  command.parse(args, { from: 'user' });
  return readConfig(command, { OMOIDE_DATA: folder, ...environment });
}

function writeFile(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const sourceOf = ({ values }: ReturnType<typeof read>, name: string) =>
  values.find((value) => value.name === name)?.source;

describe('the source of a value', () => {
  const environment = { OMOIDE_PORT: '2', OMOIDE_RATE_LIMIT_PER_MINUTE: '20' };
  const file = { port: 3, rateLimitPerMinute: 30, bodyLimitMib: 3.5 };

  test('flags override the environment, the environment overrides the file, and the file overrides defaults', () => {
    const told = read(['--port', '1'], environment, file);
    expect(told.config).toMatchObject({
      port: 1,
      rateLimitPerMinute: 20,
      bodyLimitMib: 3.5,
      host: '127.0.0.1',
    });
    const names = ['port', 'rateLimitPerMinute', 'bodyLimitMib', 'host'];
    expect(names.map((name) => sourceOf(told, name))).toEqual([
      '--port',
      'OMOIDE_RATE_LIMIT_PER_MINUTE',
      join(folder, 'omoide.json'),
      'default',
    ]);
  });

  test('empty values count as not set', () => {
    const { config } = read(['--port', ''], { OMOIDE_PORT: ' ', OMOIDE_TOKEN: '' }, { port: '' });
    expect(config.port).toBe(7438);
    expect(config.token).toBeUndefined();
  });

  test('a named file replaces the file in the folder, and may name the folder', () => {
    writeFile('omoide.json', { port: 1 });
    const named = writeFile('other.json', { port: 2, data: 'memories', traceFile: 'trace.jsonl' });
    const command = addConfigFlags(new Command()).parse(['--config', named], { from: 'user' });
    const { config, file: path } = readConfig(command, {});
    expect(path).toBe(named);
    expect(config).toMatchObject({
      port: 2,
      data: join(folder, 'memories'),
      traceFile: join(folder, 'trace.jsonl'),
    });
  });
});

describe('the format of a value', () => {
  test.each([
    ['no', false],
    ['0', false],
    ['TRUE', true],
    ['on', true],
  ])('accepts a switch as %s', (words, worker) => {
    expect(read([], { OMOIDE_WORKER: words }).config.worker).toBe(worker);
  });

  test('a switch given as a flag overrides the environment', () => {
    expect(read(['--no-worker'], { OMOIDE_WORKER: 'yes' }).config.worker).toBe(false);
  });

  test('accepts a list separated by commas, or as an array', () => {
    const origins = ['https://a.example', 'http://localhost:5173'];
    expect(read(['--cors-origins', origins.join(', ')]).config.corsOrigins).toEqual(origins);
    expect(read([], {}, { corsOrigins: origins }).config.corsOrigins).toEqual(origins);
  });

  test('resolves paths against the file that contains them, or the working directory', () => {
    const inFile = { profiles: ['calm.json', '/elsewhere/keen.json'] };
    expect(read([], {}, inFile).config.profiles).toEqual([join(folder, 'calm.json'), '/elsewhere/keen.json']);
    const onOneLine = { profiles: 'calm.json, keen.json' };
    expect(read([], {}, onOneLine).config.profiles).toEqual([
      join(folder, 'calm.json'),
      join(folder, 'keen.json'),
    ]);
    expect(read(['--profiles', 'a.json,b.json']).config.profiles).toEqual([
      resolve('a.json'),
      resolve('b.json'),
    ]);
  });

  test('accepts a model on one line or as an object, and leaves its other settings unset', () => {
    const model = { provider: 'endpoint', url: 'http://127.0.0.1:1234/v1', model: 'm' } as const;
    const told = read(
      ['--chat-model', 'http://127.0.0.1:1234/v1#m'],
      {},
      { lightModel: model, embedder: 'none' },
    );
    expect(told.config).toMatchObject({ chatModel: model, lightModel: model, embedder: null });
    expect(Object.keys(told.config.lightModel ?? {})).toEqual(['provider', 'url', 'model']);
    expect(told.config.visionModel).toBeUndefined();
  });
});

describe('errors name the place of the value', () => {
  test.each([
    ['a flag', ['--port', '70000'], {}, undefined, '--port: '],
    ['text instead of a number', [], { OMOIDE_PORT: 'many' }, undefined, 'OMOIDE_PORT: '],
    ['the file', [], {}, { port: -1 }, 'omoide.json, port: '],
    ['a switch', [], { OMOIDE_WORKER: 'maybe' }, undefined, 'OMOIDE_WORKER: '],
    ['an origin with a path', ['--cors-origins', 'https://a.example/x'], {}, undefined, '--cors-origins: '],
    ['a schedule', [], { OMOIDE_REORGANIZE: 'hourly' }, undefined, 'OMOIDE_REORGANIZE: '],
    ['a list of missing files', [], {}, { profiles: [1] }, 'omoide.json, profiles: '],
    ['any origin', ['--cors-origins', '*'], {}, undefined, '--cors-origins: '],
    ['a time zone', ['--time-zone', 'Mars/Olympus'], {}, undefined, '--time-zone: Unknown time zone'],
    ['a model', ['--chat-model', 'qwen'], {}, undefined, '--chat-model: '],
    ['an unknown value', [], {}, { prot: 1 }, 'omoide.json: prot: there is no such value'],
    [
      'a token in the file',
      [],
      {},
      { token: 'abcdefghijklmnopqrst' },
      'omoide.json: token: it can only be set with OMOIDE_TOKEN',
    ],
    ['a folder in the file of the folder', [], {}, { data: '/x' }, 'omoide.json: data: '],
    ['a file of another format', [], {}, '[1]', 'omoide.json: it must contain one JSON object'],
    ['a token that is too short', [], { OMOIDE_TOKEN: 'short' }, undefined, 'OMOIDE_TOKEN: must have 16'],
  ])('%s', (_what, args, environment, file, message) => {
    expect(() => read(args, environment as Record<string, string>, file)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });

  test('a named file must exist', () => {
    expect(() => read(['--config', join(folder, 'gone.json')])).toThrow(
      expect.objectContaining({ code: 'FILE_UNREADABLE' }) as Error,
    );
  });

  test('errors do not contain values that may be keys', () => {
    const wrongs: [string[], Record<string, string>, unknown?][] = [
      [['--chat-model', '{"apiKey":"sk-secret"'], {}],
      [[], {}, '{"chatModel":{"apiKey":"sk-secret",,}}'],
      [[], { OMOIDE_TOKEN: 'sk-secret is too short' }],
    ];
    for (const [args, environment, file] of wrongs) {
      expect(() => read(args, environment, file)).toThrow(/^(?!.*sk-secret)/s);
      writeFile('omoide.json', {});
    }
  });
});

test('passwords in addresses are not printed', () => {
  const store = 'postgres://hana:sesame@db/memories';
  const { values, config } = read(['--store', store], {});
  expect(JSON.stringify(values)).toContain('postgres://hana@db/memories');
  expect(JSON.stringify(values)).not.toContain('sesame');
  expect(config.store).toBe(store);
});

test('keys and tokens are not printed', () => {
  const key = 'sk-secret-secret-secret';
  const model = { provider: 'endpoint', url: 'http://h/v1', model: 'm', apiKey: key };
  const { values, config } = read(
    ['--chat-model', JSON.stringify(model)],
    { OMOIDE_TOKEN: key },
    { visionModel: model },
  );
  expect(JSON.stringify(values)).not.toContain(key);
  expect(JSON.stringify(values)).toContain('(set, not shown)');
  expect(config).toMatchObject({ token: key, chatModel: { apiKey: key }, visionModel: { apiKey: key } });
});
