import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { beforeEach, describe, expect, test } from 'vitest';
import { CLIENTS, CLIENT_NAMES, type ClientName, type Machine } from '../../src/cli/mcp/clients.ts';
import { temporaryFolder } from '../temporary.ts';
import { CLI } from './rig.ts';

let home: string;
let dataDir: string;

beforeEach(() => {
  home = temporaryFolder();
  dataDir = join(home, 'data');
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function omoide(args: readonly string[], options: { cwd?: string; path?: string } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const env = {
      PATH: options.path ?? '/usr/bin:/bin',
      HOME: home,
      USERPROFILE: home,
      OMOIDE_DATA: dataDir,
      OMOIDE_EMBEDDER: 'hashed',
    };
    const all = [CLI, 'mcp', ...args];
    const child = execFile(process.execPath, all, { env, cwd: options.cwd ?? home }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
    child.stdin?.end();
  });
}

const machine = (): Machine => ({ home, platform: process.platform, environment: {} });
const fileOf = (name: ClientName) => CLIENTS[name].userFile(machine());

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = (path: string) => readFileSync(path, 'utf8');

function entryIn(path: string, key: string): unknown {
  const text = read(path);
  const file = (path.endsWith('.toml') ? parseToml(text) : JSON.parse(text)) as Record<
    string,
    Record<string, unknown>
  >;
  return file[key]?.['omoide'];
}

describe('install', () => {
  test('writes the file of every named client', async () => {
    const { code } = await omoide(['install', ...CLIENT_NAMES, '--yes']);
    expect(code).toBe(0);
    for (const name of CLIENT_NAMES) {
      const { format } = CLIENTS[name];
      expect(entryIn(fileOf(name), format.key)).toMatchObject({
        command: process.execPath,
        args: [CLI, 'mcp', '--data', dataDir],
      });
    }
  });

  test('without names uses the clients on this machine', async () => {
    expect(await omoide(['install', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No client was found') as string,
    });
    mkdirSync(join(home, '.cursor'));
    expect((await omoide(['install', '--yes'])).code).toBe(0);
    expect(entryIn(fileOf('cursor'), 'mcpServers')).toBeDefined();
    expect(CLIENT_NAMES.filter((name) => existsSync(fileOf(name)))).toEqual(['cursor']);
  });

  test('keeps existing content, a backup copy, and the file mode', async () => {
    const before =
      '{\n\t"numStartups": 3,\n\t"mcpServers": {\n\t\t"x": { "command": "y", "env": { "K": "secret" } }\n\t}\n}\n';
    const path = write(fileOf('claude-code'), before);
    chmodSync(path, 0o640);
    const { code, stdout, stderr } = await omoide(['install', 'claude-code', '--yes', '--memory', 'hana']);
    expect(code).toBe(0);
    expect(read(path)).toContain('"x": { "command": "y", "env": { "K": "secret" } }');
    expect(JSON.parse(read(path))).toMatchObject({ numStartups: 3, mcpServers: { x: { command: 'y' } } });
    expect(entryIn(path, 'mcpServers')).toMatchObject({
      type: 'stdio',
      args: [CLI, 'mcp', '--data', dataDir, '--memory', 'hana'],
    });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const copies = readdirSync(home).filter((name) => name.endsWith('.bak'));
    expect(copies.map((name) => read(join(home, name)))).toEqual([before]);
    expect(stdout + stderr).not.toContain('secret');
  });

  test('changes nothing a second time, and --remove restores the original', async () => {
    const before = '# mine\n[mcp_servers.x]\ncommand = "y"\n';
    const path = write(fileOf('codex'), before);
    await omoide(['install', 'codex', '--yes']);
    const after = read(path);
    expect(after).not.toBe(before);
    const again = await omoide(['install', 'codex', '--yes', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ clients: [{ client: 'codex', path, action: 'unchanged' }] });
    expect(read(path)).toBe(after);
    const removed = await omoide(['install', 'codex', '--remove', '--yes']);
    expect(removed.code).toBe(0);
    expect(read(path)).toBe(before);
    expect((await omoide(['install', 'codex', '--remove', '--yes'])).stdout).toContain(
      'Omoide is not configured in it',
    );
  });

  test('--print only prints, and without a terminal nothing is written without --yes', async () => {
    const before = '{}';
    const path = write(fileOf('cursor'), before);
    const shown = await omoide(['install', 'cursor', '--print']);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/\+ .*"omoide"/) as string });
    const asked = await omoide(['install', 'cursor']);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringMatching(/INVALID_INPUT.*--yes/) as string });
    expect(read(path)).toBe(before);
    expect(readdirSync(dirname(path))).toEqual(['mcp.json']);
  });

  test('reports a broken file with its line and leaves it unchanged; the others are written', async () => {
    const broken = '{\n  "mcpServers": {\n    oops\n  }\n}';
    const path = write(fileOf('cursor'), broken);
    const { code, stderr } = await omoide(['install', 'cursor', 'vscode', '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain(`${path}, line 3:`);
    expect(read(path)).toBe(broken);
    expect(entryIn(fileOf('vscode'), 'servers')).toBeDefined();
  });

  test('does not overwrite an HTTP entry that was set up by hand', async () => {
    const path = write(fileOf('cursor'), '{"mcpServers":{"omoide":{"url":"http://127.0.0.1:7438/mcp"}}}');
    const before = read(path);
    expect((await omoide(['install', 'cursor', '--yes'])).stderr).toContain('over HTTP');
    expect(read(path)).toBe(before);
  });

  test('keeps a symbolic link a link', async () => {
    const kept = write(join(home, 'dotfiles', 'claude.json'), '{}');
    symlinkSync(kept, fileOf('claude-code'));
    await omoide(['install', 'claude-code', '--yes']);
    expect(readlinkSync(fileOf('claude-code'))).toBe(kept);
    expect(entryIn(kept, 'mcpServers')).toBeDefined();
  });
});

describe('install --project', () => {
  test('writes the files of the project, with the project variable of each client', async () => {
    const project = join(home, 'code', 'app');
    mkdirSync(project, { recursive: true });
    const { code } = await omoide([
      'install',
      'claude-code',
      'cursor',
      'vscode',
      'codex',
      '--project',
      project,
      '--yes',
    ]);
    expect(code).toBe(0);
    const projectIn = (file: string, key: string) =>
      (entryIn(join(project, file), key) as { args: string[] }).args.slice(-2);
    expect(projectIn('.mcp.json', 'mcpServers')).toEqual(['--project', '.']);
    expect(projectIn('.cursor/mcp.json', 'mcpServers')).toEqual(['--project', '${workspaceFolder}']);
    expect(projectIn('.vscode/mcp.json', 'servers')).toEqual(['--project', '${workspaceFolder}']);
    expect(projectIn('.codex/config.toml', 'mcp_servers')).toEqual(['--project', project]);
    expect(CLIENT_NAMES.some((name) => existsSync(fileOf(name)))).toBe(false);
  });

  test('names the command alone where it is on the PATH', async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    symlinkSync(CLI, join(bin, 'omoide'));
    await omoide(['install', 'claude-code', '--project', home, '--yes'], { path: bin });
    expect(entryIn(join(home, '.mcp.json'), 'mcpServers')).toMatchObject({ command: 'omoide' });
  });

  test('rejects a client without project files', async () => {
    const { code, stderr } = await omoide(['install', 'claude-desktop', '--project', home, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain('Claude Desktop has no project configuration');
  });
});

describe('doctor', () => {
  const findings = async (...args: string[]) => {
    const { code, stdout } = await omoide(['doctor', '--json', ...args]);
    const { ok, clients } = JSON.parse(stdout) as {
      ok: boolean;
      clients: { status: string; message: string }[];
    };
    return { code, ok, clients };
  };

  test('starts what was installed, and lists clients without Omoide', async () => {
    await omoide(['install', 'cursor', '--yes']);
    write(fileOf('codex'), '');
    const { code, ok, clients } = await findings();
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(clients).toMatchObject([
      {
        client: 'cursor',
        status: 'ok',
        message: expect.stringMatching(/^omoide \d\S* starts and has 11 tools/) as string,
      },
      { client: 'codex', status: 'absent', message: expect.stringContaining('install codex') as string },
    ]);
  });

  test.each([
    ['a missing command', { command: '/no/such/omoide' }, /cannot be started/],
    [
      'a command that ends',
      { command: process.execPath, args: ['-e', 'console.error("no memory"); process.exit(3)'] },
      /exit code 3 .*no memory/,
    ],
    [
      'a command that prints something else',
      { command: process.execPath, args: ['-e', 'console.log("hello")'] },
      /not part of the protocol: hello/,
    ],
    ['no command', { args: ['mcp'] }, /command is invalid/],
  ])('reports %s', async (_, entry, message) => {
    write(fileOf('cursor'), JSON.stringify({ mcpServers: { omoide: entry } }));
    const { code, clients } = await findings('cursor');
    expect(code).toBe(1);
    expect(clients).toMatchObject([{ status: 'fail', message: expect.stringMatching(message) as string }]);
  });

  test('reports a file that cannot be parsed', async () => {
    write(fileOf('cursor'), '{ oops');
    const { clients } = await findings('cursor');
    expect(clients).toMatchObject([{ status: 'fail', message: expect.stringContaining('line 1') as string }]);
  });

  test('checks the project, too', async () => {
    const project = join(home, 'app');
    mkdirSync(project);
    await omoide(['install', 'vscode', '--project', project, '--yes']);
    const { clients } = await findings('vscode', '--project', project);
    expect(clients).toMatchObject([
      { status: 'absent' },
      { status: 'ok', path: join(project, '.vscode', 'mcp.json') },
    ]);
  });
});

test('files are where each platform has them', () => {
  const at = (platform: NodeJS.Platform, environment = {}) =>
    CLIENTS['claude-desktop'].userFile({ home: '/h', platform, environment });
  expect(at('darwin')).toBe('/h/Library/Application Support/Claude/claude_desktop_config.json');
  expect(at('linux')).toBe('/h/.config/Claude/claude_desktop_config.json');
  expect(at('win32', { APPDATA: '/r' })).toBe('/r/Claude/claude_desktop_config.json');
});
