import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { readEntry, writeEntry, type Entry } from '../../src/cli/mcp/format.ts';
import { createJsonFormat } from '../../src/cli/mcp/json.ts';
import { tomlFormat } from '../../src/cli/mcp/toml.ts';

const json = createJsonFormat('mcpServers');
const OURS: Entry = { command: '/usr/bin/node', args: ['/opt/omoide/cli.js', 'mcp'] };

const putJson = (text: string, entry: Entry | null = OURS) => writeEntry(json, text, 'file', entry);
const putToml = (text: string, entry: Entry | null = OURS) => writeEntry(tomlFormat, text, 'file', entry);

/** The lines of a text, with an optional comma added to one; of a text on one line, its beginning. */
function withoutCommas(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replaceAll(',', '').trimEnd());
  return lines.length > 1 ? lines : [text.slice(0, '{"mcpServers":{"x":{"command":"y"}'.length)];
}

describe('JSON', () => {
  test('adds our entry to an empty file', () => {
    for (const text of ['', ' \n', '{}']) {
      expect(JSON.parse(putJson(text))).toEqual({ mcpServers: { omoide: OURS } });
    }
  });

  test.each([
    [
      'tabs and a comment',
      '{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"x": { "command": "y" } // mine\n\t}\n}\n',
    ],
    ['Windows line breaks and trailing commas', '{\r\n  "mcpServers": {\r\n    "x": {},\r\n  },\r\n}\r\n'],
    ['a byte order mark and an empty table', '\uFEFF{\n    "mcpServers": {\n        // none yet\n    }\n}'],
    ['all on one line', '{"mcpServers":{"x":{"command":"y"}},"z":[1,2]}'],
  ])('keeps existing content byte for byte, and restores it: %s', (_, text) => {
    const put = putJson(text);
    expect(readEntry(json, put, 'file')).toEqual(OURS);
    expect(withoutCommas(put)).toEqual(expect.arrayContaining(withoutCommas(text)));
    expect(putJson(put)).toBe(put);
    expect(putJson(put, null).replaceAll(/[ ,]/g, '')).toBe(text.replaceAll(/[ ,]/g, ''));
  });

  test('keeps what the user added to our entry', () => {
    const text =
      '{\n  "mcpServers": {\n    "omoide": {\n      "command": "old", // mine\n      "env": { "KEY": "k" }\n    }\n  }\n}\n';
    const put = putJson(text);
    expect(readEntry(json, put, 'file')).toEqual({ ...OURS, env: { KEY: 'k' } });
    expect(put).toContain('// mine');
    expect(put).toContain('{ "KEY": "k" }');
  });

  test('keeps all members of any object in order, and restores it', () => {
    const key = fc.string({ minLength: 1 }).filter((name) => !['omoide', '__proto__'].includes(name));
    const servers = fc.dictionary(key, fc.record({ command: fc.string() }));
    // The parser used for comparison drops `__proto__`.
    const anything = fc.jsonValue().filter((one) => !JSON.stringify(one).includes('__proto__'));
    const file = fc.record({ a: anything, mcpServers: servers, z: anything });
    const layout = fc.constantFrom(undefined, 2, 4, '\t');
    fc.assert(
      fc.property(file, layout, (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const put = putJson(text);
        const expected = { ...value, mcpServers: { ...value.mcpServers, omoide: OURS } };
        expect(JSON.stringify(parseJsonc(put))).toBe(JSON.stringify(expected));
        expect(JSON.stringify(JSON.parse(putJson(put, null)))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test.each([
    ['{\n  "mcpServers": {\n    "x": oops\n  }\n}', /^file, line 3: /],
    ['{ "mcpServers": [] }', /file, mcpServers is not an object/],
    ['[]', /^file is not an object/],
    ['{ "mcpServers": { "omoide": "x" } }', /not an object/],
    ['{ "mcpServers": {}, "mcpServers": { "x": {} } }', /edit it by hand/],
  ])('rejects %s', (text, message) => {
    expect(() => putJson(text)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_FORMAT',
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });
});

describe('TOML', () => {
  const CONFIG = [
    '# my settings',
    'model = "x"',
    '',
    '[mcp_servers.other]',
    'command = "a" # keep',
    'args = [',
    '  "[b]",',
    ']',
    '',
    '# about the next',
    '[tools]',
    'web = true',
    '',
  ];

  const REST = CONFIG.slice(3);

  test.each(['\n', '\r\n'])('keeps existing content byte for byte, and restores it (%j)', (lineBreak) => {
    const text = CONFIG.join(lineBreak);
    const put = putToml(text);
    expect(put.startsWith(text)).toBe(true);
    expect(readEntry(tomlFormat, put, 'file')).toEqual(OURS);
    expect(putToml(put)).toBe(put);
    expect(putToml(put, null)).toBe(text);
  });

  test('changes our table in place, and keeps what the user added to it', () => {
    const table = [
      '[mcp_servers.omoide] # memory',
      'args = [',
      '  "old", # [x]',
      ']',
      'startup_timeout_sec = 30 # slow',
    ];
    const environment = ['', '[mcp_servers.omoide.env]', 'KEY = "k"', ''];
    const text = [...table, ...environment, ...REST].join('\n');
    const put = putToml(text);
    expect(readEntry(tomlFormat, put, 'file')).toEqual({
      ...OURS,
      startup_timeout_sec: 30,
      env: { KEY: 'k' },
    });
    expect(put).toContain('startup_timeout_sec = 30 # slow');
    expect(put.endsWith([...environment, ...REST].join('\n'))).toBe(true);
    expect(putToml(put, null).trimStart()).toBe(REST.join('\n'));
  });

  test('keeps all of any tables', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/).filter((each) => each !== 'omoide');
    const server = fc.record({ command: fc.string(), args: fc.array(fc.string()) });
    const file = fc.record({ model: fc.string(), mcp_servers: fc.dictionary(name, server, { minKeys: 1 }) });
    fc.assert(
      fc.property(file, (value) => {
        const text = stringify(value);
        const put = putToml(text);
        expect(put.startsWith(text.trimEnd())).toBe(true);
        const expected = { ...value, mcp_servers: { ...value.mcp_servers, omoide: OURS } };
        expect(JSON.parse(JSON.stringify(parseToml(put)))).toEqual(expected);
        expect(JSON.parse(JSON.stringify(parseToml(putToml(put, null))))).toEqual(value);
      }),
    );
  });

  test.each([
    ['a = 1\nb = [', /^file, line \d+: /],
    ['mcp_servers = 3', /not an object/],
    ['mcp_servers = { x = { command = "a" } }', /edit it by hand/],
    ['[mcp_servers]\nomoide = { command = "old" }\n', /edit it by hand/],
    ['a = """\n[mcp_servers.omoide]\n"""\n', /edit it by hand/],
  ])('rejects %j', (text, message) => {
    expect(() => putToml(text)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_FORMAT',
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });
});
