import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  detectFormat,
  IMPORT_FORMATS,
  previewImport,
  readConversationFile,
  type ImportFormat,
  type ImportItem,
  type ImportOptions,
} from './import.ts';

/** Written by hand after the public descriptions of each format; see docs/importing.md. */
const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/imports');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'omoide-exports-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function read(path: string, options: Partial<ImportOptions> = {}): Promise<ImportItem[]> {
  return Array.fromAsync(readConversationFile(path, { timeZone: 'UTC', ...options }));
}

/** `conversation#index time speaker: text`, `! code` of a problem, `* text` of a remark. */
function inShort(items: readonly ImportItem[]): string[] {
  return items.map((item) => {
    if (item.type === 'remark') return `* ${item.text}`;
    if (item.type === 'problem') return `! ${item.place} ${item.code}`;
    const { conversationId, turnIndex, occurredAt, speaker, text } = item.turn;
    const time = new Date(occurredAt ?? 0).toISOString().slice(0, 16).replace('T', ' ');
    return `${conversationId}#${turnIndex} ${time} ${speaker}: ${text}`;
  });
}

const fixture = async (name: string, options?: Partial<ImportOptions>) =>
  inShort(await read(join(FIXTURES, name), options));

async function textFile(content: string, name = 'chat.txt'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  await utimes(path, new Date('2025-01-01'), new Date('2025-01-01'));
  return path;
}

const EXPECTED: [ImportFormat, string, string[]][] = [
  [
    'line',
    'line-ja.txt',
    [
      'line-ja#0 2024-01-05 22:03 ゆき: こんばんは',
      'line-ja#1 2024-01-05 22:04 はる: 二行の\nメッセージ "引用"',
      'line-ja#2 2024-01-05 22:05 ゆき: [写真]',
      'line-ja#3 2024-01-06 07:30 はる: おはよう',
    ],
  ],
  [
    'line',
    'line-en.txt',
    [
      '* Dates are read as month, day, year, because 01/16/2024 allows no other order.',
      'line-en#0 2024-01-05 22:03 Yuki Sato: Good evening',
      'line-en#1 2024-01-05 22:04 Haru: Hi! Look: https://example.org/a:b',
      'line-en#2 2024-01-16 07:30 Haru: Morning',
    ],
  ],
  [
    'line',
    'line-zh.txt',
    [
      'line-zh#0 2024-01-05 22:03 小雨: 晚安',
      'line-zh#1 2024-01-05 22:04 阿哲: [貼圖]',
      'line-zh#2 2024-01-05 00:05 小雨: 明天見',
    ],
  ],
  [
    'line',
    'line-pc.txt',
    [
      'line-pc#0 2024-01-05 22:03 ゆき: こんばんは',
      'line-pc#1 2024-01-05 22:04 はる: うん、\n元気だよ',
      'line-pc#2 2024-01-06 07:30 はる: おはよう',
    ],
  ],
  [
    'whatsapp',
    'whatsapp-android.txt',
    [
      '* Dates are read as day, month, year, because 13/01/2024 allows no other order.',
      'whatsapp-android#0 2024-01-13 22:03 Anna Berg: Did you pack the tent?',
      'whatsapp-android#1 2024-01-13 22:04 Ben: Yes!\nAnd the stove.',
      'whatsapp-android#2 2024-01-14 07:30 Anna Berg: <Media omitted>',
    ],
  ],
  [
    'whatsapp',
    'whatsapp-ios.txt',
    [
      '* Dates are read as month, day, year, because 1/31/24 allows no other order.',
      'whatsapp-ios#0 2024-01-05 22:03 Anna: <attached: 00000001-PHOTO-2024-01-05.jpg>',
      'whatsapp-ios#1 2024-01-05 22:04 Ben: 10:05 works: see you',
      'whatsapp-ios#2 2024-01-31 07:30 Anna: Morning',
    ],
  ],
  [
    'whatsapp',
    'whatsapp-de.txt',
    [
      '* Dates are read as day, month, year, because 05.01.24 allows no other order.',
      'whatsapp-de#0 2024-01-05 22:03 Anna: Hast du das Zelt?',
      'whatsapp-de#1 2024-01-06 07:30 Ben: Ja',
      'whatsapp-de#2 2024-01-07 07:31 Anna: Gut',
      'whatsapp-de#3 2024-01-08 07:31 Ben: Bis gleich',
    ],
  ],
  [
    'whatsapp',
    'whatsapp-zh.txt',
    [
      'whatsapp-zh#0 2024-01-05 22:03 小雨: 到家了吗',
      'whatsapp-zh#1 2024-01-05 22:04 阿哲: 刚到',
      'whatsapp-zh#2 2024-01-06 00:04 小雨: 晚安',
    ],
  ],
  [
    'telegram',
    'telegram-chat.json',
    [
      'telegram-4012345678#0 2024-01-05 21:03 Mia: See https://example.org!',
      'telegram-4012345678#1 2024-01-05 21:04 Jo: [image]',
      'telegram-4012345678#2 2024-01-05 21:05 Jo: [voice message]',
    ],
  ],
  [
    'telegram',
    'telegram-all.json',
    [
      'telegram-4012345678#0 2024-01-05 21:03 Mia: Hello',
      'telegram-4012345678#1 2024-01-05 21:06 user: Hi',
      'telegram-88#0 2024-01-06 07:00 user: [sticker: 🙂]',
    ],
  ],
  [
    'discord',
    'discord.json',
    [
      'discord-22#0 2024-01-05 22:03 Anna: Which trail?',
      'discord-22#1 2024-01-05 22:04 Ben: [image: map.png]',
    ],
  ],
  [
    'slack',
    'slack',
    [
      'general:2024-01-05#0 2024-01-05 21:03 Anna: Hi @Ben, see the plan (https://example.org) & say yes',
      'general:2024-01-05#1 2024-01-05 21:04 Ben: [image: plan.png]',
      'general:2024-01-06#0 2024-01-06 07:00 Anna: Morning',
      '* Skipped, because the format is unknown: channels.json, users.json.',
    ],
  ],
  [
    'messenger',
    'messenger',
    [
      'zoe_1#0 2024-01-05 21:03 Zoë: Café?',
      'zoe_1#1 2024-01-05 21:04 Haru: [image: 1.jpg]',
      'zoe_1#2 2024-01-06 07:00 Zoë: おはよう',
    ],
  ],
  ...(['time-first', 'name-first', 'brackets', 'mail'] as const).map(
    (form): [ImportFormat, string, string[]] => [
      'wechat',
      `wechat-${form}.txt`,
      [
        `wechat-${form}#0 2024-01-05 22:03 小雨: 到家了吗？${form === 'time-first' ? '\n我在等你' : ''}`,
        `wechat-${form}#1 2024-01-05 22:04 阿哲: 刚到`,
      ],
    ],
  ),
  [
    'wechat',
    'wechat.csv',
    ['wechat#0 2024-01-05 21:03 小雨: 到家了吗？', 'wechat#1 2024-01-05 21:04 user: [image]'],
  ],
  [
    'signal',
    'signal.md',
    [
      'signal#0 2024-01-05 22:03 user: How is everyone?',
      'signal#1 2024-01-05 22:04 Bobby Bob: Good: thanks\nA second line',
      'signal#2 2024-01-06 07:30 user: Nice',
    ],
  ],
  [
    'imessage',
    'imessage.txt',
    [
      'imessage#0 2024-01-05 22:03 user: Did you feed the cat?',
      'imessage#1 2024-01-05 22:04 +15555550123: Yes.\nTwice.',
      'imessage#2 2024-01-05 22:09 user: Ha',
    ],
  ],
  [
    'mbox',
    'mail.mbox',
    [
      'Tent#0 2024-01-05 21:03 Anna Berg: Did you pack the tent?\nFrom home I can bring the stove.',
      'Tent#1 2024-01-06 06:30 Ben: Yes & the stove.\n\nBen',
      'Tent#2 2024-01-06 07:00 Anna Berg: Great.',
    ],
  ],
  [
    'gemini',
    'gemini.json',
    [
      'gemini-2024-01-05#0 2024-01-05 22:03 user: What do I wear for hiking?',
      'gemini-2024-01-05#1 2024-01-05 22:03 ai: Layers & boots.',
      'gemini-2024-01-05#2 2024-01-05 22:10 user: And in winter?',
      'gemini-2024-01-05#3 2024-01-05 22:10 ai: Wool.\n\n- A hat\n- Gloves',
      'gemini-2024-01-04#0 2024-01-04 22:03 user: [image: boots.jpg]',
      'gemini-2024-01-04#1 2024-01-04 22:03 ai: Hiking boots.',
    ],
  ],
  [
    'openwebui',
    'openwebui.json',
    ['chat-1#0 2024-01-05 21:03 user: Which fern?', 'chat-1#1 2024-01-05 21:03 ai: A tree fern.'],
  ],
  [
    'librechat',
    'librechat.json',
    ['conv-7#0 2024-01-05 22:03 user: Soup?', 'conv-7#1 2024-01-05 22:04 ai: Miso.'],
  ],
  [
    'characterai',
    'characterai-histories.json',
    ['h1#0 2023-05-01 08:00 Iris: You are late.', 'h1#1 2023-05-01 08:00 user: Sorry.'],
  ],
  [
    'characterai',
    'characterai-turns.json',
    ['c1#0 2024-01-05 22:03 Iris: You are late.', 'c1#1 2024-01-05 22:04 user: Sorry.'],
  ],
  [
    'replika',
    'replika.csv',
    [
      'replika-2024-01-06#0 2024-01-06 07:30 user: Good morning',
      'replika-2024-01-05#0 2024-01-05 22:03 user: Hi',
      'replika-2024-01-05#1 2024-01-05 22:04 ai: Hello\nAlex, dear',
    ],
  ],
  [
    'chatgpt',
    'chatgpt-voice.json',
    [
      'conv-v#0 2024-01-05 21:03 user: Shall I go for a walk?',
      'conv-v#1 2024-01-05 21:03 user: [image: sky.jpg]',
      'conv-v#2 2024-01-05 21:03 ai: # Route\n\nAlong the river.',
      'conv-v#3 2024-01-05 21:03 ai: I wrote it down.',
    ],
  ],
];

describe('exports of programs', () => {
  test.each(EXPECTED)('%s: %s', async (format, name, expected) => {
    const formats = new Set<string>();
    const items = await read(join(FIXTURES, name), { onFile: (file) => formats.add(file.format) });
    expect([...formats]).toEqual([format]);
    expect(inShort(items)).toEqual(expected);
  });

  test('every fixture has an expected result', () => {
    const named = EXPECTED.map(([, name]) => name);
    expect(readdirSync(FIXTURES).toSorted()).toEqual(named.toSorted());
  });
});

describe('formats are not confused', () => {
  const files = EXPECTED.flatMap(([format, name]) => {
    const path = join(FIXTURES, name);
    const inside = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
      .map((entry) => join(FIXTURES, entry))
      .filter((entry) => entry.startsWith(join(path, '/')) && /(?:\d|_\d)\.json$/.test(entry));
    return (inside.length > 0 ? inside : [path]).map((file) => [relative(FIXTURES, file), format] as const);
  });
  /** Formats of plain messages accept many field names: these readers read any record with a speaker and a text. */
  const GENERIC = new Set<ImportFormat>(['messages-jsonl', 'messages-csv', 'openai', 'sillytavern']);

  test.each(files)('%s is detected as %s, also when it is truncated', async (name, format) => {
    const text = await readFile(join(FIXTURES, name), 'utf8');
    expect(detectFormat(text)).toBe(format);
    expect(detectFormat(text.slice(0, Math.ceil(text.length * 0.9)))).toBe(format);
    expect(detectFormat(text.replaceAll(/\r?\n/g, '\r\n'))).toBe(format);
  });

  test.each(files)('no other reader finds turns in %s', async (name, format) => {
    for (const other of IMPORT_FORMATS.filter((other) => other !== format && !GENERIC.has(other))) {
      const items = await read(join(FIXTURES, name), { format: other });
      expect([other, ...inShort(items).filter((line) => !/^[!*]/.test(line))]).toEqual([other]);
    }
  });

  test.each([
    ['a note with a time in it', '# Diary\n22:03 I went home.\n2024/01/05 was cold.\n'],
    ['a log', '2024-01-05 22:03:11 INFO started\n'.repeat(3).replaceAll('INFO started', '')],
    ['another table', 'name,age\nA,3\n'],
    ['other JSON', '[{"id":1,"name":"general","members":["U1"]}]'],
  ])('%s is not a conversation', (_, content) => {
    expect(detectFormat(content)).toBeNull();
  });
});

describe('numeric dates', () => {
  const android = (...dates: string[]) => dates.map((date) => `${date}, 10:00 - A: x\n`).join('');
  const days = async (content: string, options: Partial<ImportOptions> = {}) =>
    (await read(await textFile(content), options)).flatMap((item) =>
      item.type === 'turn' ? [new Date(item.turn.occurredAt ?? 0).toISOString().slice(0, 10)] : [],
    );

  test.each([
    ['a day beyond twelve', ['5/1/24', '13/1/24'], ['2024-01-05', '2024-01-13']],
    ['the order of the messages', ['11/1/24', '2/2/24'], ['2024-01-11', '2024-02-02']],
    ['American order', ['1/11/24', '2/2/24', '2/20/24'], ['2024-01-11', '2024-02-02', '2024-02-20']],
    ['the year first', ['24/11/05', '24/11/30'], ['2024-11-05', '2024-11-30']],
    [
      'days that follow each other',
      ['1/2/24', '2/2/24', '3/2/24', '4/2/24', '5/2/24'],
      ['2024-02-01', '2024-02-02', '2024-02-03', '2024-02-04', '2024-02-05'],
    ],
    ['dots', ['5.1.24'], ['2024-01-05']],
    [
      'years before there were chats, and after the file',
      ['12/05/01', '12/06/02'],
      ['2012-05-01', '2012-06-02'],
    ],
    ['the same day either way', ['5/5/24'], ['2024-05-05']],
  ])('are resolved by %s', async (_, written, expected) => {
    expect(await days(android(...written))).toEqual(expected);
  });

  test('are asked for when the file leaves them ambiguous', async () => {
    const content = android('5/1/24', '6/1/24');
    await expect(days(content)).rejects.toMatchObject({
      code: 'INVALID_TIME',
      message: expect.stringContaining('--date-order dmy or --date-order mdy') as string,
    });
    expect(await days(content, { dateOrder: 'dmy' })).toEqual(['2024-01-05', '2024-01-06']);
    expect(await days(content, { dateOrder: 'mdy' })).toEqual(['2024-05-01', '2024-06-01']);
  });
});

test('a name given as “me” becomes user, and is kept in meta', async () => {
  const items = await read(join(FIXTURES, 'line-ja.txt'), { me: ['はる'] });
  const turns = items.flatMap((item) => (item.type === 'turn' ? [item.turn] : []));
  expect(turns.map(({ speaker }) => speaker)).toEqual(['ゆき', 'user', 'ゆき', 'user']);
  expect(turns[1]?.meta).toEqual({ name: 'はる' });
  expect(await fixture('mail.mbox', { me: ['BEN@example.org'] })).toContainEqual(
    expect.stringContaining(' user: Yes & the stove.'),
  );
});

test('reads the field names of our own export', async () => {
  const line = {
    conversationId: 'c',
    turnIndex: 0,
    speaker: 'user',
    text: 'a',
    occurredAt: '2024-01-05T22:03:00Z',
  };
  const path = await textFile(JSON.stringify(line), 'own.jsonl');
  expect(inShort(await read(path))).toEqual(['c#0 2024-01-05 22:03 user: a']);
});

describe('archives and folders', () => {
  const zip = async (files: Record<string, string>, name = 'export.zip') => {
    const bytes = Object.entries(files).map(
      ([path, text]) => [path, new TextEncoder().encode(text)] as const,
    );
    await writeFile(join(folder, name), zipSync(Object.fromEntries(bytes)));
    return join(folder, name);
  };

  test('a ZIP archive is read like the folder it was made of', async () => {
    const names = readdirSync(join(FIXTURES, 'slack'), { recursive: true, encoding: 'utf8' });
    const files: Record<string, string> = {};
    for (const name of names.filter((name) => name.endsWith('.json')))
      files[`Team export/${name}`] = await readFile(join(FIXTURES, 'slack', name), 'utf8');
    const [, , expected] = EXPECTED.find(([format]) => format === 'slack')!;
    expect(inShort(await read(await zip(files))).slice(0, 3)).toEqual(expected.slice(0, 3));
  });

  test('reads ChatGPT’s numbered files, and WhatsApp’s chat file with its common name', async () => {
    const conversation = (id: string) =>
      JSON.stringify([
        {
          conversation_id: id,
          mapping: {
            a: {
              parent: null,
              message: {
                id: 'a',
                author: { role: 'user' },
                create_time: 1704488591,
                content: { content_type: 'text', parts: [id] },
              },
            },
          },
        },
      ]);
    const chatgpt = await zip({
      'conversations-001.json': conversation('b'),
      'conversations-000.json': conversation('a'),
      'user.json': '{"id":"u"}',
      'chat.html': '<html>',
    });
    expect(inShort(await read(chatgpt))).toEqual([
      'a#0 2024-01-05 21:03 user: a',
      'b#0 2024-01-05 21:03 user: b',
      '* Skipped, because the format is unknown: user.json.',
    ]);
    const chat = await readFile(join(FIXTURES, 'whatsapp-zh.txt'), 'utf8');
    const whatsapp = await zip({ '_chat.txt': chat, 'photo.jpg': 'x' }, 'WhatsApp Chat - 小雨.zip');
    expect(inShort(await read(whatsapp))[0]).toBe('WhatsApp Chat - 小雨#0 2024-01-05 22:03 小雨: 到家了吗');
  });

  test('rejects archives without a conversation, and damaged ones', async () => {
    await expect(read(await zip({ 'a.json': '{}' }))).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
    const path = await zip({ 'a.json': '{}' });
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 10));
    await expect(read(path)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });

  test('one conversation id cannot be used for several files', async () => {
    await expect(read(join(FIXTURES, 'slack'), { conversationId: 'x' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

test('a preview reports what was recognised', async () => {
  const { files, remarks } = await previewImport(join(FIXTURES, 'whatsapp-android.txt'), { timeZone: 'UTC' });
  expect(remarks).toEqual([expect.stringContaining('day, month, year')]);
  expect(files).toEqual([
    {
      path: 'whatsapp-android.txt',
      format: 'whatsapp',
      conversations: 1,
      turns: 3,
      problems: 0,
      from: Date.UTC(2024, 0, 13, 22, 3),
      to: Date.UTC(2024, 0, 14, 7, 30),
      speakers: [
        { name: 'Anna Berg', turns: 2 },
        { name: 'Ben', turns: 1 },
      ],
      samples: [
        expect.objectContaining({ text: 'Did you pack the tent?' }),
        expect.objectContaining({ speaker: 'Ben' }),
        expect.objectContaining({ text: '<Media omitted>' }),
      ],
      problemSamples: [],
    },
  ]);
  expect(existsSync(join(FIXTURES, 'memory_default.db'))).toBe(false);
});
