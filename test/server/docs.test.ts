import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { meaningOf, STATUS_OF, type ProblemCode } from '../../src/serve/problem.ts';
import { TABLE } from './requests.ts';
import { openTestServer } from './testServer.ts';

const PAGE = fileURLToPath(new URL('../../docs/http.md', import.meta.url));

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function operations(): string {
  const access = { open: ' *open*', token: '', operator: ' *operator*', metrics: ' *operator*, or *open*' };
  return table(
    ['operation', 'method and path', ''],
    TABLE.map((one) => [
      `\`${one.name}\``,
      `${one.method} \`${one.path}\``,
      one.summary + access[one.access],
    ]),
  );
}

function problems(): string {
  const codes = Object.entries(STATUS_OF) as [ProblemCode, number][];
  const inOrder = codes.toSorted(([, a], [, b]) => a - b);
  return table(
    ['status', 'code', 'meaning'],
    inOrder.map(([code, status]) => [String(status), `\`${code}\``, meaningOf(code)]),
  );
}

async function metrics(): Promise<string> {
  const text = await openTestServer().client.metrics();
  const rows = [...text.matchAll(/^# HELP (\w+) (.+)$/gm)].map(([, name = '', help = '']) => {
    const [, type = ''] = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text) ?? [];
    return [`\`${name}\``, type, help];
  });
  return table(['name', 'type', ''], rows.toSorted());
}

// `vitest run test/server/docs.test.ts -u` updates the page.
test('docs/http.md lists the operations, problems and metrics of the server', async () => {
  const parts: Readonly<Record<string, string>> = {
    operations: operations(),
    problems: problems(),
    metrics: await metrics(),
  };
  const shown = new Set<string>();
  const page = readFileSync(PAGE, 'utf8').replaceAll(
    /(<!-- table: (\w+) -->\n)[^]*?(?=<!-- end -->)/g,
    (_, opening: string, name: string) => {
      shown.add(name);
      return `${opening}\n${parts[name]}\n\n`;
    },
  );
  expect(shown).toEqual(new Set(Object.keys(parts)));
  await expect(page).toMatchFileSnapshot(PAGE);
});
