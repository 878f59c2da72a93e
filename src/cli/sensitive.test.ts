/** Commands follow the memory’s own choice for personal data, otherwise OMOIDE_SENSITIVE. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../../test/cli/runCommand.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { openMemory } from '../engine/engine.ts';
import { openSettings, settingsPath } from '../settings/settings.ts';

const PHONE = '090-1234-5678';
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('OMOIDE_DATA', folder);
  vi.stubEnv('OMOIDE_EMBEDDER', 'none');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const remember = () => runCommand('notes', 'remember', `The ferry office: ${PHONE}`);

async function keptTexts(): Promise<string> {
  const memory = await openMemory({ dataDir: folder, embedder: null, worker: false });
  const units = await memory.units.list({ maxSensitivity: 'secret' });
  await memory.close();
  return JSON.stringify(units.map(({ payload }) => ('text' in payload ? payload.text : '')));
}

async function choose(sensitive: 'off' | 'refuse'): Promise<void> {
  const settings = openSettings(settingsPath(folder));
  await settings.change({ memories: { default: { sensitive } } });
  settings.close();
}

test.each([
  ['off', true],
  ['mark', true],
  ['mask', false],
] as const)('omoide notes with OMOIDE_SENSITIVE=%s shows the number: %s', async (policy, isShown) => {
  vi.stubEnv('OMOIDE_SENSITIVE', policy);
  expect((await remember()).code).toBe(0);
  expect((await keptTexts()).includes(PHONE)).toBe(isShown);
});

test('omoide notes with OMOIDE_SENSITIVE=refuse writes nothing', async () => {
  vi.stubEnv('OMOIDE_SENSITIVE', 'refuse');
  const { code, stderr } = await remember();
  expect(code).not.toBe(0);
  expect(stderr).toContain('phone');
  expect(await keptTexts()).toBe('[]');
});

test('the choice of a memory takes precedence over OMOIDE_SENSITIVE', async () => {
  vi.stubEnv('OMOIDE_SENSITIVE', 'off');
  await choose('refuse');
  expect((await remember()).code).not.toBe(0);
  vi.stubEnv('OMOIDE_SENSITIVE', 'refuse');
  await choose('off');
  expect((await remember()).code).toBe(0);
  expect(await keptTexts()).toContain(PHONE);
});
