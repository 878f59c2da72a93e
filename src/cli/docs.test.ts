import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';

const PAGE = fileURLToPath(new URL('../../docs/cli.md', import.meta.url));
const HELP = /(```text help=(\w+)\n)[^]*?(?=```)/g;

const commands = (): Map<string, Command> => {
  const program = createProgram(() => {});
  return new Map([program, ...program.commands].map((command) => [command.name(), command]));
};

// `vitest run src/cli/docs.test.ts -u` brings the page up to date.
test('docs/cli.md shows the help of every command as it is', async () => {
  const byName = commands();
  const shown = new Set<string>();
  const page = readFileSync(PAGE, 'utf8').replaceAll(HELP, (_, opening: string, name: string) => {
    shown.add(name);
    return `${opening}${byName.get(name)?.helpInformation()}`;
  });
  expect(shown).toEqual(new Set(byName.keys()));
  await expect(page).toMatchFileSnapshot(PAGE);
});

test('every command but those with memories of their own takes the settings', () => {
  const settings = ['--data', '--memory', '--embedder', '--time-zone', '--json'];
  const lacking = [...commands()].flatMap(([name, { options }]) =>
    settings.filter((flag) => !options.some(({ long }) => long === flag)).map((flag) => `${name} ${flag}`),
  );
  const unexplained = lacking.filter((each) => !/^(?:omoide|demo|eval) /.test(each));
  expect(unexplained).toEqual([]);
});
