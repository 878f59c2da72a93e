import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { openSettings, settingsPath } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../temporary.ts';
import { CLI, notesFolder, spawnAgent } from './rig.ts';
import {
  editConcurrently,
  EDITED_BESIDE,
  expectNotesIn,
  expectNotesRemembered,
  JOURNAL_LINE,
  workWithNotes,
} from './sessions.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = join(temporaryFolder(), 'data');
});

const MODES = [
  ['with the revision of current clients', 'legacy'],
  ['with the newest revision of the protocol', 'auto'],
] as const;

describe.each(MODES)('over standard input and output, %s', (_, mode) => {
  test('recalls in a new session what an earlier session stored', async () => {
    const options = { versionNegotiation: { mode } };
    const first = await spawnAgent(['--data', dataDir], options);
    expect(first.client.getServerVersion()).toMatchObject({ name: 'omoide' });
    const journal = await workWithNotes(first);
    const turns = [{ speaker: 'user', text: '那須の吊り橋、すごく揺れて怖かったね。' }];
    await first.call('ingest_turns', { conversationId: 'c1', turns });
    await first.close();
    const notes = notesFolder({}, join(dataDir, 'notes'));
    expectNotesIn(notes);
    expect(notes.read(journal)).toMatch(JOURNAL_LINE);

    const second = await spawnAgent(['--data', dataDir], options);
    await expectNotesRemembered(second, notes);
    expect((await second.call('recall', { utterance: 'あの吊り橋、怖かったよね' })).text).toContain(
      '那須の吊り橋',
    );
    expect((await second.call('recall', { utterance: 'x', limit: 0 })).isError).toBe(true);
    await expect(second.client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
    await second.close();
    expect(second.stderr()).toBe('');
  });

  test('finds a file that was edited by hand meanwhile', async () => {
    const agent = await spawnAgent(['--data', dataDir], { versionNegotiation: { mode } });
    const notes = notesFolder({}, join(dataDir, 'notes'));
    expect(await editConcurrently(agent, notes)).toBe(EDITED_BESIDE);
  });
});

test('personal data is handled as OMOIDE_SENSITIVE says, and at once as the settings say', async () => {
  const agent = await spawnAgent(['--data', dataDir], { env: { OMOIDE_SENSITIVE: 'refuse' } });
  const remember = () => agent.call('remember', { text: 'The ferry office: 090-1234-5678' });
  expect(await remember()).toMatchObject({ isError: true, text: expect.stringContaining('phone') as string });
  const settings = openSettings(settingsPath(dataDir));
  await settings.change({ memories: { default: { sensitive: 'off' } } });
  settings.close();
  expect(await remember()).toMatchObject({ isError: false });
  expect((await agent.call('recall', { utterance: 'ferry office' })).text).toContain('090-1234-5678');
});

test('two agents of one memory keep the lines of both, and find each item once', async () => {
  const notes = notesFolder({ 'agent/team.md': '# Team\n' }, join(dataDir, 'notes'));
  const agents = await Promise.all([spawnAgent(['--data', dataDir]), spawnAgent(['--data', dataDir])]);
  const LINES = 12;
  await Promise.all(
    agents.map(async (agent, which) => {
      for (let i = 0; i < LINES; i++) {
        const append = `\n## Part ${which}-${i}\n\n- line ${which}-${i}`;
        expect(await agent.call('edit_note', { uri: 'agent/team.md', append })).toMatchObject({
          isError: false,
        });
      }
    }),
  );
  notes.write('agent/team.md', `${notes.read('agent/team.md')}\n## Last\n\n- 合言葉は山と川\n`);
  const wanted = [0, 1].flatMap((which) => Array.from({ length: LINES }, (_, i) => `- line ${which}-${i}`));
  const written = notes.read('agent/team.md').match(/^- line .*$/gm) ?? [];
  expect(written.toSorted()).toEqual(wanted.toSorted());
  for (const agent of agents) {
    await vi.waitFor(async () => {
      const { structured } = await agent.call('recall', {
        utterance: '合言葉は？',
        kinds: ['note'],
        limit: 1,
      });
      expect(structured).toMatchObject({ found: [{ text: '- 合言葉は山と川' }] });
    }, 10_000);
    const { structured } = await agent.call('recall', { utterance: 'line', kinds: ['note'], limit: 30 });
    const texts = (structured as { found: { text: string }[] }).found.map(({ text }) => text);
    expect(texts).toHaveLength(new Set(texts).size);
    expect(texts.length).toBeGreaterThan(LINES);
    // A section for each line, and one for the last; the title itself has no text.
    expect((await agent.call('list_notes')).text).toContain(`${wanted.length + 1} sections`);
  }
});

/** Runs the server with these lines as its complete input. */
function feed(lines: readonly string[], args: readonly string[] = []) {
  return new Promise<{ code: number | null; answers: unknown[]; stderr: string }>((resolve) => {
    const all = [CLI, 'mcp', '--embedder', 'hashed', '--data', dataDir, ...args];
    const child = execFile(process.execPath, all, (_, stdout, stderr) => {
      const answers = stdout
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
      resolve({ code: child.exitCode, answers, stderr });
    });
    child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  });
}

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const INITIALIZE = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const call = (id: number, name: string, args: object) => request(id, 'tools/call', { name, arguments: args });

describe('when it ends', () => {
  test('answers requests received before the end of the input', async () => {
    const turns = [{ speaker: 'user', text: 'Hana is allergic to peanuts.' }];
    const first = await feed([
      INITIALIZE,
      INITIALIZED,
      call(2, 'ingest_turns', { conversationId: 'c1', turns }),
      call(3, 'pack', { utterance: 'What can Hana eat?' }),
    ]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.answers.map((answer) => (answer as { id: number }).id).toSorted()).toEqual([1, 2, 3]);
    const second = await feed([INITIALIZE, INITIALIZED, call(2, 'recall', { utterance: 'peanuts?' })]);
    expect(JSON.stringify(second.answers)).toContain('allergic to peanuts');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('exits normally on %s', async (signal) => {
    const child = spawn(process.execPath, [CLI, 'mcp', '--embedder', 'hashed', '--data', dataDir]);
    const ended = new Promise((resolve) => {
      child.on('close', resolve);
    });
    const answered = new Promise((resolve) => {
      child.stdout.once('data', resolve);
    });
    child.stdin.write(`${INITIALIZE}\n`);
    await answered;
    child.kill(signal);
    expect(await ended).toBe(0);
    // A closed memory leaves no journal file of the database.
    expect(readdirSync(dataDir).filter((name) => name.endsWith('-wal'))).toEqual([]);
  });
});

describe('malformed input', () => {
  test('is answered with protocol errors, and later requests are served', async () => {
    const { code, answers } = await feed([
      'this is no JSON',
      INITIALIZE,
      INITIALIZED,
      '{"jsonrpc":"2.0","id":5}',
      request(6, 'no/such/method'),
      request(7, 'tools/call', { name: 7 }),
      call(8, 'recall', { utterance: 3 }),
      request(9, 'tools/list'),
    ]);
    expect(code).toBe(0);
    const byId = new Map(answers.map((answer) => [(answer as { id: number }).id, answer]));
    expect(byId.get(6)).toMatchObject({ error: { code: -32_601 } });
    expect(byId.get(7)).toMatchObject({ error: { code: expect.any(Number) as number } });
    expect(byId.get(8)).toMatchObject({ result: { isError: true } });
    expect(byId.get(9)).toMatchObject({ result: { tools: expect.any(Array) as unknown[] } });
  });
});

describe('the memory', () => {
  const memories = () => readdirSync(dataDir).flatMap((name) => /^memory_(.+)\.db$/.exec(name)?.[1] ?? []);

  test('is the default one, or the named one', async () => {
    await feed([INITIALIZE]);
    await feed([INITIALIZE], ['--memory', 'hana']);
    expect(memories()).toEqual(['default', 'hana']);
  });

  test('of a project is its own, recognised by its folder', async () => {
    const project = join(temporaryFolder(), 'my project');
    mkdirSync(project);
    await feed([INITIALIZE], ['--project', project]);
    expect(memories()).toEqual([expect.stringMatching(/^my-project-[\da-f]{8}$/)]);
    await feed([INITIALIZE], ['--project', project]);
    expect(memories()).toHaveLength(1);
    // In its folder the project need not be named once it has notes.
    mkdirSync(join(project, '.omoide'), { recursive: true });
    const agent = await spawnAgent(['--data', dataDir], { cwd: project });
    await agent.close();
    expect(memories()).toHaveLength(1);
    expect(existsSync(join(dataDir, 'memory_default.db'))).toBe(false);
  });

  test('of a project keeps facts about the project; facts about the user are shared', async () => {
    const [project, other] = [temporaryFolder(), temporaryFolder()];
    const inProject = await spawnAgent(['--data', dataDir, '--project', project]);
    await inProject.call('remember', { text: 'We chose SQLite for the store.', type: 'decision' });
    await inProject.call('remember', { text: 'I prefer tabs to spaces.', type: 'preference' });
    await inProject.close();
    expect(readFileSync(join(project, '.omoide/agent/decisions.md'), 'utf8')).toContain('SQLite');
    expect(readFileSync(join(dataDir, 'notes/user/preferences.md'), 'utf8')).toContain('tabs');

    const inOther = await spawnAgent(['--data', dataDir, '--project', other]);
    const { text } = await inOther.call('recall', { utterance: 'SQLite, tabs or spaces?' });
    expect(text).toContain('tabs');
    expect(text).not.toContain('SQLite');
    expect((await inOther.call('list_notes')).text).toMatch(/^user\/preferences\.md [^\n]*$/);
  });

  test('unreadable files are reported on standard error, and the rest is served', async () => {
    const notes = notesFolder({ 'user/good.md': 'Hana likes tea.\n' }, join(temporaryFolder(), 'mine'));
    writeFileSync(join(notes.path, 'binary.md'), Buffer.from([0, 1, 2, 255]));
    writeFileSync(join(notes.path, 'huge.md'), 'x'.repeat(10_000_000));
    writeFileSync(join(notes.path, '../theirs.md'), 'not yours');
    symlinkSync('../theirs.md', join(notes.path, 'out.md'));
    const agent = await spawnAgent(['--data', dataDir, '--notes', notes.path]);
    expect((await agent.call('recall', { utterance: 'What does Hana like?' })).text).toContain('tea');
    expect((await agent.call('list_notes')).text).toMatch(/^user\/good\.md [^\n]*$/);
    for (const uri of ['binary.md', 'huge.md', 'out.md']) {
      expect(agent.stderr()).toContain(uri);
      expect((await agent.call('read_note', { uri })).text).toMatch(/^(FILE_UNREADABLE|OUTSIDE_ROOT): /);
    }
  });

  test.each([
    [['serve', 'cursor'], 'clients are for'],
    [['--yes'], '--yes is for'],
    [['doctor', '--remove'], '--remove is for'],
    [['--json'], '--json is for'],
    [['fly'], 'Allowed choices'],
    [['install', 'emacs'], 'Allowed choices'],
  ])('rejects a wrong option: %j', async (args, message) => {
    const program = await createProgram(() => {});
    for (const command of program.commands) command.configureOutput({ writeErr: () => {} });
    await expect(program.parseAsync(['mcp', ...args], { from: 'user' })).rejects.toThrow(message);
  });
});
