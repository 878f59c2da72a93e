import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';

const PAGE = fileURLToPath(new URL('../../docs/cli.md', import.meta.url));
const HELP = /(```text help=(\w+)\n)[^]*?(?=```)/g;

const commands = async (): Promise<Map<string, Command>> => {
  const program = await createProgram(() => {});
  return new Map([program, ...program.commands].map((command) => [command.name(), command]));
};

// `vitest run src/cli/docs.test.ts -u` brings the page up to date.
test('docs/cli.md contains the current help of every command', async () => {
  const byName = await commands();
  const shown = new Set<string>();
  const page = readFileSync(PAGE, 'utf8').replaceAll(HELP, (_, opening: string, name: string) => {
    shown.add(name);
    return `${opening}${byName.get(name)?.helpInformation()}`;
  });
  expect(shown).toEqual(new Set(byName.keys()));
  await expect(page).toMatchFileSnapshot(PAGE);
  // Every command is loaded.
}, 120_000);

/** The settings that a command does not accept, and why: `*` is every setting. */
const WITHOUT: Readonly<Record<string, string>> = {
  omoide: '*',
  // These create their own memories.
  demo: '*',
  eval: '*',
  // It serves all memories of a folder; each request names one.
  serve: '--memory',
  config: '--memory',
  // It opens no memory.
  token: '--embedder --time-zone',
  audit: '--embedder --time-zone',
  embedder: '--memory --embedder --time-zone',
  // It opens keys and no memory.
  key: '*',
  // Its commands accept them.
  archive: '*',
  // They copy files and do not use the settings of a memory.
  backup: '--embedder --time-zone',
  restore: '--memory --embedder --time-zone',
  migrate: '--embedder --time-zone',
  completion: '*',
  // A conversation cannot be printed as one value.
  chat: '--json',
};

test('every command accepts the settings that apply to it', async () => {
  const settings = ['--data', '--memory', '--embedder', '--time-zone', '--json'];
  const lacking = [...(await commands())].flatMap(([name, { options }]) =>
    settings
      .filter((flag) => !options.some(({ long }) => long === flag))
      .map((flag) => [name, flag] as const),
  );
  const unexplained = lacking.filter(([name, flag]) => {
    const without = WITHOUT[name]?.split(' ') ?? [];
    return !without.includes('*') && !without.includes(flag);
  });
  expect(unexplained).toEqual([]);
});
