import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import {
  chosenRecall,
  openSettings,
  type OperatorSettings,
  type Settings,
  type SettingsOptions,
} from './settings.ts';

const KEY = 'sk-very-secret-0123456789';
const URL_A = 'http://127.0.0.1:11434/v1';

const llm = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  name: `Model ${id}`,
  settings: { provider: 'endpoint' as const, url: URL_A, model: 'qwen3', ...more },
});
const persona = (id: string) => ({ id, name: id, text: `あなたは${id}。` });

let path: string;

beforeEach(() => {
  path = join(temporaryFolder(), 'settings.db');
});

function open(options?: SettingsOptions, file = path): Settings {
  const settings = openSettings(file, options);
  onTestFinished(() => settings.close());
  return settings;
}

describe('settings', () => {
  test('are empty at first', () => {
    expect(open().get()).toEqual({
      presets: { llm: [], embedding: [], persona: [], contract: [] },
      active: { chat: null, light: null, vision: null, embedding: null, persona: null, contract: null },
      budgets: { packTokens: 1_500, recentTurns: 20, maxOutputTokens: null, deepTimeLimitMs: 2_000 },
      recall: {},
      recallByMemory: {},
      memories: {},
      reminders: { enabled: true, leadMinutes: 0, quietFrom: '22:00', quietTo: '08:00' },
      cocoro: {
        memoryId: 'default',
        memories: [{ id: 'default', name: 'default' }],
        memoryEnabled: true,
        excludeKeywords: [],
      },
      deepRecall: false,
      metricsOpen: false,
      trace: false,
      compare: null,
    } satisfies OperatorSettings);
  });

  test('a change is stored, and keeps other settings', async () => {
    const settings = open();
    await settings.change({
      presets: { persona: [persona('sora')] },
      budgets: { packTokens: 800 },
    });
    await settings.change({ active: { persona: 'sora' }, deepRecall: true });
    settings.close();
    expect(open().get()).toMatchObject({
      presets: { persona: [persona('sora')], llm: [] },
      active: { persona: 'sora', chat: null },
      budgets: { packTokens: 800, recentTurns: 20 },
      deepRecall: true,
    });
  });

  test('recall defaults of a memory take priority over those of all memories', async () => {
    const settings = open();
    await settings.change({
      recall: { maxAgeDays: 365, thresholds: { high: 0.5, medium: 0.2 } },
      recallByMemory: { work: { profile: 'fast', thresholds: { high: 0.4 } } },
    });
    expect(chosenRecall(settings.get(), 'work')).toEqual({
      maxAgeDays: 365,
      profile: 'fast',
      thresholds: { high: 0.4, medium: 0.2 },
    });
    expect(chosenRecall(settings.get(), 'home').thresholds).toEqual({ high: 0.5, medium: 0.2 });
    await expect(settings.change({ recall: { profile: 'mine' } as never })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test.each([
    ['a choice without a preset', { active: { chat: 'none-such' } }, 'active.chat'],
    ['a persona for a model', { presets: { persona: [persona('a')] }, active: { chat: 'a' } }, 'active.chat'],
    ['two presets of one id', { presets: { llm: [llm('a'), llm('a')] } }, 'presets.llm'],
    [
      'an address with a password',
      { presets: { llm: [llm('a', { url: 'http://u:p@h/v1' })] } },
      'presets.llm.0.settings.url',
    ],
    ['an unknown field', { presets: { llm: [llm('a', { tempreature: 1 })] } }, 'tempreature'],
    ['an id with a space', { presets: { llm: [llm('a b')] } }, 'presets.llm.0.id'],
    ['a budget of 0', { budgets: { packTokens: 0 } }, 'budgets.packTokens'],
    ['another kind of value', { trace: 'yes' }, 'trace'],
    ['an unknown setting', { colour: 'red' }, 'colour'],
  ])('%s is rejected without changes', async (_what, patch, place) => {
    const settings = open();
    await settings.change({ presets: { llm: [llm('kept')] }, active: { chat: 'kept' } });
    const before = settings.get();
    const change = settings.change({ deepRecall: true, ...patch } as never);
    await expect(change).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(place) as string,
    });
    expect(settings.get()).toEqual(before);
  });

  test('a preset in use can be removed only after another is chosen', async () => {
    const settings = open();
    await settings.change({ presets: { llm: [llm('a'), llm('b')] }, active: { chat: 'a', light: 'b' } });
    const removal = { presets: { llm: [llm('b')] } };
    await expect(settings.change(removal)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await settings.change({ ...removal, active: { chat: 'b' } });
    expect(settings.get()).toMatchObject({
      presets: { llm: [{ id: 'b' }] },
      active: { chat: 'b', light: 'b' },
    });
  });

  test('contents of a damaged file are not used as settings', () => {
    open().close();
    const db = new DatabaseSync(path);
    db.exec(`INSERT INTO setting VALUES ('active', '{"chat":"gone"}')`);
    db.close();
    expect(() => openSettings(path)).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }) as Error);
  });
});

describe('keys', () => {
  const withKey = async () => {
    const settings = open();
    await settings.change({ presets: { llm: [llm('a', { apiKey: KEY }), llm('b')] } });
    return settings;
  };
  const keyOf = (settings: Settings, id = 'a') =>
    settings.get().presets.llm.find((preset) => preset.id === id)?.settings.apiKey;

  test('are stored and never shown', async () => {
    const settings = await withKey();
    expect(keyOf(settings)).toBe(KEY);
    const shown = settings.public();
    expect(JSON.stringify(shown)).not.toContain('apiKey');
    expect(JSON.stringify(shown)).not.toContain(KEY);
    expect(shown.presets.llm.map((preset) => preset.settings.hasKey)).toEqual([true, false]);
  });

  test('are kept when the shown settings are sent back', async () => {
    const settings = await withKey();
    const { presets, active, budgets } = settings.public();
    const shown = await settings.change({ presets, active, budgets });
    expect(keyOf(settings)).toBe(KEY);
    expect(settings.public()).toEqual(shown);
  });

  test('are replaced by another key, and removed by null', async () => {
    const settings = await withKey();
    await settings.change({ presets: { llm: [llm('a', { apiKey: 'other' })] } });
    expect(keyOf(settings)).toBe('other');
    await settings.change({ presets: { llm: [llm('a', { apiKey: null })] } });
    expect(keyOf(settings)).toBeUndefined();
    expect(settings.public().presets.llm[0]?.settings).toMatchObject({ hasKey: false });
  });

  test('are not sent to another address when a preset changes', async () => {
    const settings = await withKey();
    const elsewhere = llm('a', { url: 'http://127.0.0.1:6666/v1' });
    await expect(settings.change({ presets: { llm: [elsewhere] } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(keyOf(settings)).toBe(KEY);
    await settings.change({
      presets: { llm: [{ ...elsewhere, settings: { ...elsewhere.settings, apiKey: null } }] },
    });
    expect(keyOf(settings)).toBeUndefined();
  });

  test('are not restored with a removed preset', async () => {
    const settings = await withKey();
    await settings.change({ presets: { llm: [] } });
    await settings.change({ presets: { llm: [llm('a')] } });
    expect(keyOf(settings)).toBeUndefined();
  });

  test('do not occur in errors', async () => {
    const settings = await withKey();
    const wrong = llm('a', { apiKey: KEY, concurrency: KEY });
    const error = await settings.change({ presets: { llm: [wrong as never] } }).catch(String);
    expect(error).toContain('concurrency');
    expect(error).not.toContain(KEY);
  });

  test('are erased from the disk once removed and closed', async () => {
    const settings = await withKey();
    await settings.change({ presets: { llm: [llm('a', { apiKey: null })] } });
    settings.close();
    const bytes = readdirSync(join(path, '..')).map((name) => readFileSync(join(path, '..', name)));
    expect(bytes.some((content) => content.includes(KEY))).toBe(false);
  });
});

describe('tokens', () => {
  test('grant their scope, in this process and the next', () => {
    const settings = open();
    expect(settings.tokens.count()).toBe(0);
    const { id, token } = settings.tokens.create({ name: 'phone' });
    const bound = settings.tokens.create({ name: 'bot', memoryId: 'bot' });
    expect(token).toMatch(/^omoide_[\w-]{43}$/);
    const again = open();
    expect(again.tokens.verify(token)).toMatchObject({ id, name: 'phone', memoryId: null, scope: 'operate' });
    expect(again.tokens.verify(bound.token)).toMatchObject({
      id: bound.id,
      memoryId: 'bot',
      scope: 'manage',
    });
    expect(again.tokens.count()).toBe(2);
  });

  test('are required: nothing else grants access', () => {
    const settings = open();
    const { token } = settings.tokens.create({ name: 'phone' });
    for (const wrong of ['', 'omoide_', token.slice(0, -1), `${token} `, token.toUpperCase()]) {
      expect(settings.tokens.verify(wrong)).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (wrong) => settings.tokens.verify(wrong) === null));
  });

  test('are not stored on the disk', () => {
    const settings = open();
    const { token } = settings.tokens.create({ name: 'phone' });
    for (const name of readdirSync(join(path, '..'))) {
      const content = readFileSync(join(path, '..', name));
      expect(content.includes(token.slice('omoide_'.length))).toBe(false);
      expect(content.includes(Buffer.from(token.slice('omoide_'.length), 'base64url'))).toBe(false);
    }
  });

  test('grant nothing at once after they were revoked, here and in another process', () => {
    const [here, there] = [open(), open()];
    const { id, token } = here.tokens.create({ name: 'phone' });
    expect(there.tokens.verify(token)).not.toBeNull();
    expect(here.tokens.revoke(id)).toBe(true);
    expect([here, there].map(({ tokens }) => tokens.verify(token))).toEqual([null, null]);
    expect(here.tokens.revoke(id)).toBe(false);
  });

  test('have the time of their last use, to the minute', () => {
    let now = Date.UTC(2026, 0, 1);
    const settings = open({ now: () => now });
    const { token } = settings.tokens.create({ name: 'phone' });
    expect(settings.tokens.list()).toMatchObject([{ name: 'phone', createdAt: now, lastUsedAt: null }]);
    const firstUse = (now += 5_000);
    settings.tokens.verify(token);
    now += 30_000;
    settings.tokens.verify(token);
    expect(settings.tokens.list()).toMatchObject([{ lastUsedAt: firstUse }]);
    now += 30_000;
    settings.tokens.verify(token);
    expect(settings.tokens.list()).toMatchObject([{ lastUsedAt: now }]);
  });

  test('given by the caller are accepted and not stored', () => {
    const givenToken = { name: 'OMOIDE_TOKEN', token: 'a-token-from-elsewhere' };
    const settings = open({ givenToken });
    expect(settings.tokens.verify(givenToken.token)).toMatchObject({ name: 'OMOIDE_TOKEN', memoryId: null });
    expect([settings.tokens.count(), settings.tokens.list()]).toEqual([1, []]);
    expect(open().tokens.verify(givenToken.token)).toBeNull();
  });

  test.each(['', ' ', 'a\nb', 'x'.repeat(101)])('have a printable name, not %j', (name) => {
    const { tokens } = open();
    expect(() => tokens.create({ name })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }) as Error,
    );
    expect(tokens.count()).toBe(0);
  });

  test('are for a valid memory id only', () => {
    const { tokens } = open();
    expect(() => tokens.create({ name: 'a', memoryId: '../etc' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ID' }) as Error,
    );
  });
});

describe('listeners', () => {
  type Listener = (settings: OperatorSettings) => void;

  test('are called once for a change, after it was written', async () => {
    const settings = open();
    const seenByAnother: boolean[] = [];
    const listener = vi.fn<Listener>(() => void seenByAnother.push(open().get().trace));
    settings.subscribe(listener);
    const seenByLeaver = vi.fn<Listener>();
    settings.subscribe(seenByLeaver)();
    await settings.change({ trace: true });
    await settings.change({ trace: true });
    expect(seenByAnother).toEqual([true]);
    expect(listener).toHaveBeenCalledExactlyOnceWith(settings.get());
    expect(seenByLeaver).not.toHaveBeenCalled();
  });

  test('are called for changes of another process, which get returns at once', async () => {
    const [here, there] = [open(), open()];
    const told = new Promise<OperatorSettings>((resolve) => here.subscribe(resolve));
    await there.change({ presets: { persona: [persona('sora')] }, active: { persona: 'sora' } });
    expect(here.get().active.persona).toBe('sora');
    expect(await told).toMatchObject({ active: { persona: 'sora' } });
  });

  test('are not called when a token is used', () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const [here, there] = [open(), open()];
    const listener = vi.fn<Listener>();
    here.subscribe(listener);
    there.tokens.verify(there.tokens.create({ name: 'a' }).token);
    vi.advanceTimersByTime(10_000);
    expect(listener).not.toHaveBeenCalled();
  });

  test('two concurrent changes are both kept', async () => {
    const [here, there] = [open(), open()];
    await Promise.all([here.change({ trace: true }), there.change({ deepRecall: true })]);
    await Promise.all([
      here.change({ budgets: { packTokens: 700 } }),
      there.change({ budgets: { recentTurns: 7 } }),
    ]);
    for (const settings of [here, there]) {
      expect(settings.get()).toMatchObject({
        trace: true,
        deepRecall: true,
        budgets: { packTokens: 700, recentTurns: 7 },
      });
    }
  });
});

describe.skipIf(process.platform === 'win32')('the file', () => {
  const modes = () =>
    readdirSync(join(path, '..')).map((name) => [
      name,
      (statSync(join(path, '..', name)).mode & 0o777).toString(8),
    ]);

  test('can be read by its owner only, and so can its journals', async () => {
    await open().change({ trace: true });
    expect(modes()).toEqual([
      ['settings.db', '600'],
      ['settings.db-shm', '600'],
      ['settings.db-wal', '600'],
    ]);
  });

  test('gets its permissions back when they were widened', () => {
    open().close();
    chmodSync(path, 0o644);
    open().tokens.create({ name: 'a' });
    expect(modes().every(([, mode]) => mode === '600')).toBe(true);
  });
});

describe('an unusable file', () => {
  test('is rejected and unchanged when it belongs to another program', () => {
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE theirs (a)');
    db.close();
    const before = readFileSync(path);
    expect(() => openSettings(path)).toThrow(expect.objectContaining({ code: 'NOT_A_MEMORY' }) as Error);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is rejected when it is not a database', () => {
    writeFileSync(path, 'not a database, and long enough that nobody takes it for an empty one'.repeat(20));
    expect(() => openSettings(path)).toThrow(expect.objectContaining({ code: 'NOT_A_MEMORY' }) as Error);
  });

  test('is rejected when it has a later version', () => {
    open().close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => openSettings(path)).toThrow(expect.objectContaining({ code: 'MEMORY_TOO_NEW' }) as Error);
  });

  test('is rejected when it cannot be created', () => {
    writeFileSync(path, '');
    const below = join(path, 'folder', 'settings.db');
    expect(() => openSettings(below)).toThrow(expect.objectContaining({ code: 'READ_ONLY' }) as Error);
    expect(existsSync(below)).toBe(false);
  });
});
