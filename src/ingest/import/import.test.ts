import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  detectFileFormat,
  detectFormat,
  readConversationFile,
  type ImportFormat,
  type ImportItem,
  type ImportOptions,
} from './import.ts';

const WRITTEN_AT = Date.UTC(2024, 5, 1);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'omoide-import-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function fileOf(content: string | Buffer, name = 'diary.txt'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  await utimes(path, WRITTEN_AT / 1000, WRITTEN_AT / 1000);
  return path;
}

async function itemsOf(
  content: string | Buffer,
  options: Partial<ImportOptions> = {},
): Promise<ImportItem[]> {
  const path = await fileOf(content);
  return await Array.fromAsync(readConversationFile(path, { timeZone: 'UTC', ...options }));
}

async function turnsOf(content: string | Buffer, options: Partial<ImportOptions> = {}) {
  const items = await itemsOf(content, options);
  expect(items.filter((item) => item.type === 'problem')).toEqual([]);
  return items.flatMap((item) => (item.type === 'turn' ? [{ ...item.turn, place: item.place }] : []));
}

/** Each item in short: `conversation#index speaker: text`, or `line code`. */
async function inShort(content: string | Buffer, options: Partial<ImportOptions> = {}): Promise<string[]> {
  return (await itemsOf(content, options)).map((item) => {
    if (item.type === 'remark') return item.text;
    if (item.type === 'problem') return `${item.line} ${item.code}`;
    return `${item.turn.conversationId}#${item.turn.turnIndex} ${item.turn.speaker}: ${item.turn.text}`;
  });
}

function jsonLines(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

const OMOIDE = `{"conv_id":"c1","session_id":"c1","turn_id":"t1","speaker":"ゆき","text":"おはよう","timestamp":"2024-05-01T08:00:00","lang":"ja"}
{"conv_id":"c1","session_id":"s2","turn_id":2,"speaker":"Assistant","text":"早上好","timestamp":null,"source_type":"chat","score":0.5}
`;
const MESSAGES = `{"role":"system","content":"Be kind."}
{"role":"user","name":"Mia","content":"Did you feed the cat?","created_at":1714550400,"id":"m1"}
{"from":"gpt","body":[{"type":"text","text":"Yes."},{"type":"image_url","image_url":{"url":"data:"}}],"ts":1714550460000}
{"speaker":"Mia","message":"Thanks","thread":"other","channel_name":"home"}
`;
const CSV = `Sender;Date;Message;Mood\r
你;2024年5月1日 9:05;"第一行\r
第二行; ""引用""";calm\r
\r
Bo;2024/05/01 (Wed) 09:06;hi;\r
`;
const OPENAI = `[
{"role":"developer","content":"Answer briefly."},
{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"x"}]},
{"role":"tool","content":"fern"},
{"role":"assistant","content":"A fern."}]`;
const CHATGPT = `[{"title":"Ferns","create_time":1714550400.25,"mapping":{
"root":{"id":"root","message":null,"parent":null,"children":["s"]},
"s":{"parent":"root","children":["u"],"message":{"id":"s","author":{"role":"system"},"content":{"content_type":"text","parts":[""]}}},
"u":{"parent":"s","children":["old","think"],"message":{"id":"u","author":{"role":"user"},"create_time":1714550401.5,
  "content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"sediment://1"},"Which fern?"]},
  "metadata":{"attachments":[{"name":"fern.jpg"}]}}},
"old":{"parent":"u","children":[],"message":{"id":"old","author":{"role":"assistant"},"create_time":null,
  "content":{"content_type":"text","parts":["A lady fern."]}}},
"think":{"parent":"u","children":["code"],"message":{"id":"think","author":{"role":"assistant"},"content":{"content_type":"thoughts","thoughts":[]}}},
"code":{"parent":"think","children":["hidden"],"message":{"id":"code","author":{"role":"assistant"},"recipient":"python",
  "content":{"content_type":"text","parts":["look()"]}}},
"hidden":{"parent":"code","children":["a"],"message":{"id":"hidden","author":{"role":"user"},
  "content":{"content_type":"text","parts":["secret"]},"metadata":{"is_visually_hidden_from_conversation":true}}},
"a":{"parent":"hidden","children":[],"message":{"id":"a","author":{"role":"assistant"},"create_time":null,"recipient":"all",
  "content":{"content_type":"text","parts":["A tree fern."]},"metadata":{"model_slug":"gpt-x"}}}},
"current_node":"a","conversation_id":"conv-1"}]`;
const CLAUDE = `[{"uuid":"conv-2","name":"Soup","created_at":"2024-05-01T08:00:00.000000Z","chat_messages":[
{"uuid":"h1","parent_message_uuid":"00000000-0000-4000-8000-000000000000","sender":"human","text":"Soup?",
  "content":[{"type":"text","text":"Soup?"}],"created_at":"2024-05-01T08:00:01Z","attachments":[{"file_name":"list.txt"}],"files":[]},
{"uuid":"a1","parent_message_uuid":"h1","sender":"assistant","text":"Leek.","content":[{"type":"text","text":"Leek."}],"created_at":"2024-05-01T08:00:02Z"},
{"uuid":"a2","parent_message_uuid":"h1","sender":"assistant","text":"Not supported here.","created_at":"2024-05-01T08:00:09Z",
  "content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"search"},{"type":"text","text":"Miso."}]}]}]`;
const SILLYTAVERN = `{"user_name":"Alex","character_name":"Iris","create_date":"2024-01-05@22h03m11s","chat_metadata":{}}
{"name":"Iris","is_user":false,"is_system":false,"send_date":"January 5, 2024 10:03pm","mes":"You are late.","swipes":["You are late.","Oh, hi."]}
{"name":"Alex","is_user":true,"is_system":true,"send_date":"2024-1-5 @22h 4m 11s 5ms","mes":"Sorry."}
{"name":"SillyTavern System","is_user":false,"is_system":true,"mes":"Welcome to the help.","extra":{"type":"help"}}
`;
const LOCOMO = `[{"qa":[{"question":"Where?","answer":"Rome","evidence":["D1:1"],"category":4}],"conversation":{
"speaker_a":"Ann","speaker_b":"Ben",
"session_2_date_time":"9:05 am on 12 June, 2023","session_2":[{"speaker":"Ben","dia_id":"D2:1","text":"Home again."}],
"session_1_date_time":"1:56 pm on 8 May, 2023",
"session_1":[{"speaker":"Ann","dia_id":"D1:1","text":"Rome!","img_url":["u"],"blip_caption":"a photo of a fountain"}]},
"sample_id":"conv-9"}]`;
const LONGMEMEVAL = `[{"question_id":"q1","question":"Which bike?",
"haystack_dates":["2023/05/20 (Sat) 02:21","2023/05/21 (Sun) 14:00"],"haystack_session_ids":["s1","s1"],"haystack_sessions":[
[{"role":"user","content":"I bought a bike.","has_answer":true},{"role":"assistant","content":"Nice."}],
[{"role":"user","content":"Rode it."}]]}]`;

/** Further forms are tried in exports.test.ts. */
const FIXTURES = {
  omoide: OMOIDE,
  'messages-jsonl': MESSAGES,
  'messages-csv': CSV,
  openai: OPENAI,
  chatgpt: CHATGPT,
  claude: CLAUDE,
  sillytavern: SILLYTAVERN,
  locomo: LOCOMO,
  longmemeval: LONGMEMEVAL,
} satisfies Partial<Record<ImportFormat, string>>;
const FORMATS = Object.keys(FIXTURES) as (keyof typeof FIXTURES)[];

describe('detection', () => {
  test.each(FORMATS)('%s is recognised by its content, also when the file is truncated', async (format) => {
    const content = FIXTURES[format];
    expect(await detectFileFormat(await fileOf(content))).toBe(format);
    expect(detectFormat(content.slice(0, Math.ceil(content.length * 0.8)))).toBe(format);
  });

  test.each(['chatgpt', 'claude', 'locomo', 'longmemeval'] as const)(
    '%s is recognised when it is indented or a single object',
    (format) => {
      const list = JSON.parse(FIXTURES[format]) as unknown[];
      expect(detectFormat(JSON.stringify(list, null, 2))).toBe(format);
      expect(detectFormat(JSON.stringify(list[0], null, 2))).toBe(format);
    },
  );

  test.each([
    ['{"messages":[{"role":"user","content":"a"}]}\n', 'openai'],
    ['[{"messages":[]}]', 'openai'],
    ['[[{"role":"user","content":"a"}]]', 'openai'],
    ['{"role":"user","content":"a"}\n', 'messages-jsonl'],
    ['話者,日時,本文\nゆき,2024-05-01,おはよう\n', 'messages-csv'],
    ['speaker\ttext\nA\tb\n', 'messages-csv'],
    ['{"conv_id": "a", "te\n{"conv_id":"a","text":"b"}\n', 'omoide'],
  ])('%j is %s', (content, format) => {
    expect(detectFormat(content)).toBe(format);
  });

  test.each(['', '  \n', '# Notes\nhello, world', '[]', '{"a":1}', 'name,age\nA,3\n'])(
    '%j is not a conversation',
    async (content) => {
      expect(detectFormat(content)).toBeNull();
      await expect(itemsOf(content)).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
    },
  );
});

describe('formats', () => {
  test('omoide: sessions become conversations, other known fields become meta', async () => {
    expect(await turnsOf(OMOIDE, { timeZone: 'Asia/Tokyo' })).toEqual([
      {
        conversationId: 'c1',
        turnIndex: 0,
        speaker: 'ゆき',
        text: 'おはよう',
        occurredAt: Date.UTC(2024, 3, 30, 23),
        meta: { sourceId: 't1', lang: 'ja' },
        source: 'import',
        place: 'line 1',
      },
      {
        conversationId: 'c1:s2',
        turnIndex: 0,
        speaker: 'ai',
        text: '早上好',
        occurredAt: WRITTEN_AT,
        meta: { sourceId: '2', source_type: 'chat', score: 0.5 },
        source: 'import',
        place: 'line 2',
      },
    ]);
  });

  test('messages-jsonl: accepts several field names, and distinguishes seconds from milliseconds', async () => {
    const turns = await turnsOf(MESSAGES);
    expect(turns).toMatchObject([
      {
        conversationId: 'diary',
        turnIndex: 0,
        speaker: 'user',
        text: 'Did you feed the cat?',
        occurredAt: 1714550400000,
        meta: { sourceId: 'm1', name: 'Mia' },
      },
      {
        conversationId: 'diary',
        turnIndex: 1,
        speaker: 'ai',
        text: 'Yes.',
        occurredAt: 1714550460000,
        meta: { images: 1 },
      },
      {
        conversationId: 'other',
        turnIndex: 0,
        speaker: 'Mia',
        text: 'Thanks',
        meta: { channel_name: 'home' },
      },
    ]);
  });

  test('messages-csv: accepts several delimiters, quotes and line endings', async () => {
    expect(await turnsOf(CSV)).toMatchObject([
      {
        speaker: 'user',
        text: '第一行\r\n第二行; "引用"',
        occurredAt: Date.UTC(2024, 4, 1, 9, 5),
        meta: { Mood: 'calm' },
        place: 'line 2',
      },
      { speaker: 'Bo', text: 'hi', occurredAt: Date.UTC(2024, 4, 1, 9, 6), meta: {}, place: 'line 5' },
    ]);
  });

  test('openai: leaves out instructions and tools', async () => {
    expect(await turnsOf(OPENAI)).toMatchObject([
      {
        conversationId: 'diary',
        turnIndex: 0,
        speaker: 'user',
        text: 'What is this?',
        meta: { images: 1 },
        place: 'item 2',
      },
      { conversationId: 'diary', turnIndex: 1, speaker: 'ai', text: 'A fern.', occurredAt: WRITTEN_AT + 1 },
    ]);
  });

  test('openai: each list of messages is a conversation', async () => {
    const list = (text: string, id?: string) => ({ messages: [{ role: 'user', content: text }], id });
    const lines = jsonLines(list('a'), list('b'), list('c', 'named'));
    expect(await inShort(lines)).toEqual(['diary#0 user: a', 'diary:2#0 user: b', 'named#0 user: c']);
    expect(await inShort(JSON.stringify([list('a'), [{ role: 'user', content: 'b' }]], null, 1))).toEqual([
      'diary#0 user: a',
      'diary:2#0 user: b',
    ]);
    expect(await inShort(JSON.stringify(list('a'), null, 2))).toEqual(['diary#0 user: a']);
  });

  test('chatgpt: reads the branch shown last, without anything that was not said', async () => {
    expect(await turnsOf(CHATGPT)).toMatchObject([
      {
        conversationId: 'conv-1',
        turnIndex: 0,
        speaker: 'user',
        text: 'Which fern?',
        occurredAt: 1714550401500,
        meta: { sourceId: 'u', conversationTitle: 'Ferns', images: 1, attachments: ['fern.jpg'] },
      },
      {
        conversationId: 'conv-1',
        turnIndex: 1,
        speaker: 'ai',
        text: 'A tree fern.',
        occurredAt: 1714550401501,
        meta: { sourceId: 'a', model: 'gpt-x' },
        place: 'conversation 1, message 2',
      },
    ]);
  });

  test('chatgpt: without a current node the newest branch is read', async () => {
    const [conversation] = JSON.parse(CHATGPT) as {
      current_node: string | null;
      mapping: Record<string, { message: { create_time: number } }>;
    }[];
    conversation!.current_node = null;
    conversation!.mapping['old']!.message.create_time = 1714550500;
    expect(await inShort(JSON.stringify(conversation))).toEqual([
      'conv-1#0 user: Which fern?',
      'conv-1#1 ai: A lady fern.',
    ]);
  });

  test('claude: reads the branch shown last, without anything that was not said', async () => {
    expect(await turnsOf(CLAUDE)).toMatchObject([
      {
        conversationId: 'conv-2',
        turnIndex: 0,
        speaker: 'user',
        text: 'Soup?',
        meta: { sourceId: 'h1', conversationTitle: 'Soup', attachments: ['list.txt'] },
      },
      {
        conversationId: 'conv-2',
        turnIndex: 1,
        speaker: 'ai',
        text: 'Miso.',
        occurredAt: Date.UTC(2024, 4, 1, 8, 0, 9),
      },
    ]);
  });

  test('claude: reads older exports without parents and blocks; a broken chain loses nothing', async () => {
    const message = (uuid: string, parent?: string) => ({
      uuid,
      sender: 'human',
      text: uuid,
      created_at: '2024-05-01T08:00:00Z',
      parent_message_uuid: parent,
    });
    const of = (...chat_messages: object[]) => JSON.stringify([{ uuid: 'c', chat_messages }]);
    expect(await inShort(of(message('a'), message('b')))).toEqual(['c#0 user: a', 'c#1 user: b']);
    expect(await inShort(of(message('a', 'lost'), message('b', 'gone')))).toEqual([
      'c#0 user: a',
      'c#1 user: b',
    ]);
  });

  test('sillytavern: reads hidden messages, and leaves out notices', async () => {
    expect(await turnsOf(SILLYTAVERN)).toMatchObject([
      {
        conversationId: 'diary',
        turnIndex: 0,
        speaker: 'Iris',
        text: 'You are late.',
        occurredAt: Date.UTC(2024, 0, 5, 22, 3),
      },
      {
        conversationId: 'diary',
        turnIndex: 1,
        speaker: 'user',
        text: 'Sorry.',
        occurredAt: Date.UTC(2024, 0, 5, 22, 4, 11, 5),
        meta: { name: 'Alex' },
      },
    ]);
  });

  test('locomo: reads sessions in order, and captions as descriptions of images', async () => {
    expect(await turnsOf(LOCOMO)).toMatchObject([
      {
        conversationId: 'conv-9:session_1',
        speaker: 'Ann',
        text: 'Rome!',
        imageSummary: 'a photo of a fountain',
        occurredAt: Date.UTC(2023, 4, 8, 13, 56),
        meta: { sourceId: 'D1:1' },
      },
      {
        conversationId: 'conv-9:session_2',
        speaker: 'Ben',
        text: 'Home again.',
        occurredAt: Date.UTC(2023, 5, 12, 9, 5),
      },
    ]);
  });

  test('longmemeval: reads a session that occurs twice as two, without the label of the answer', async () => {
    expect(await turnsOf(LONGMEMEVAL)).toMatchObject([
      {
        conversationId: 'q1:s1',
        turnIndex: 0,
        speaker: 'user',
        occurredAt: Date.UTC(2023, 4, 20, 2, 21),
        meta: { sourceId: 's1_1' },
      },
      { conversationId: 'q1:s1', turnIndex: 1, speaker: 'ai', meta: { sourceId: 's1_2' } },
      { conversationId: 'q1:s1#2', turnIndex: 0, text: 'Rode it.' },
    ]);
    expect(JSON.stringify(await itemsOf(LONGMEMEVAL))).not.toContain('nswer');
  });
});

describe('unreadable input', () => {
  const line = (text: string) => JSON.stringify({ role: 'user', content: text });

  test('a bad line is reported and keeps its index, so that a corrected file fills the gap', async () => {
    const broken = `${line('a')}\n{"role":"user","cont\n\n[]\n${line('b')}\n`;
    expect(await inShort(broken)).toEqual([
      'diary#0 user: a',
      '2 INVALID_INPUT',
      '4 INVALID_INPUT',
      'diary#3 user: b',
    ]);
    const mended = `${line('a')}\n${line('x')}\n\n${line('y')}\n${line('b')}\n`;
    expect((await inShort(mended)).at(-1)).toBe('diary#3 user: b');
  });

  test.each([
    ['empty text', { text: ' \n' }, 'EMPTY_TEXT'],
    ['no text', { text: undefined }, 'INVALID_INPUT'],
    ['text that is not a string', { text: { a: 1 } }, 'INVALID_INPUT'],
    ['a lone surrogate', { text: 'a\uD83D' }, 'INVALID_TEXT'],
    ['a NUL', { text: 'a\0b' }, 'INVALID_TEXT'],
    ['10 MB of text', { text: 'あ'.repeat(3_500_000) }, 'TEXT_TOO_LONG'],
    ['no speaker', { speaker: null }, 'INVALID_INPUT'],
    ['a speaker with a slash', { speaker: 'a/b' }, 'INVALID_ID'],
    ['no conversation', { conv_id: '' }, 'INVALID_INPUT'],
    ['a conversation with a slash', { conv_id: '../up' }, 'INVALID_ID'],
    ['an invalid year', { timestamp: '12024-01-01' }, 'INVALID_TIME'],
    ['a time out of range', { timestamp: 1e17 }, 'INVALID_TIME'],
  ])('%s', async (_, fields, code) => {
    const good = { conv_id: 'c', speaker: 'A', text: 'good' };
    const items = await inShort(jsonLines(good, { ...good, ...fields }, good), { format: 'omoide' });
    expect(items).toEqual(['c#0 A: good', `2 ${code}`, expect.stringMatching(/^c#[12] A: good$/)]);
  });

  test('half a surrogate pair or a NUL in meta is replaced', async () => {
    const [turn] = await turnsOf(jsonLines({ speaker: 'A', text: 'b', 'mo\0od': 'x\uD83D' }));
    expect(turn?.meta).toEqual({ 'mo\uFFFDod': 'x\uFFFD' });
  });

  test('reports bytes that are not UTF-8', async () => {
    const bad = Buffer.concat([
      Buffer.from(`${line('日')}\n{"role":"user","content":"`),
      Buffer.of(0xe3, 0x81),
      Buffer.from(`"}\n${line('本')}\n`),
    ]);
    expect(await inShort(bad)).toEqual(['diary#0 user: 日', '2 INVALID_TEXT', 'diary#2 user: 本']);
    expect(await inShort(Buffer.from('speaker,text\nA,\xff\nB,b\n', 'latin1'))).toEqual([
      '2 INVALID_TEXT',
      'diary#1 B: b',
    ]);
    const [first, second] = await inShort(Buffer.from(CHATGPT.replace('Which', '\xff'), 'latin1'));
    expect([first, second]).toEqual(['1 INVALID_TEXT', 'conv-1#1 ai: A tree fern.']);
  });

  test('reads a UTF-8 byte order mark, and UTF-16 of both byte orders', async () => {
    const expected = await inShort(OMOIDE);
    const swapped = Buffer.from(`\uFEFF${OMOIDE}`, 'utf16le').swap16();
    expect(await inShort(`\uFEFF${OMOIDE}`)).toEqual(expected);
    expect(await inShort(Buffer.from(`\uFEFF${OMOIDE}`, 'utf16le'))).toEqual(expected);
    expect(await inShort(swapped)).toEqual(expected);
    expect(await inShort(Buffer.from('\uFEFF{"speaker":"A","text":"\uD83D"}', 'utf16le'))).toEqual([
      '1 INVALID_TEXT',
    ]);
    expect(await inShort(Buffer.from('\uFEFFspeaker,text\nA,\uD83D\n', 'utf16le'))).toEqual([
      '2 INVALID_TEXT',
    ]);
  });

  test('reports a truncated file', async () => {
    const cut = JSON.stringify(
      [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      null,
      1,
    );
    expect(await inShort(cut.slice(0, -8))).toEqual(['diary#0 user: a', '6 INVALID_INPUT']);
    expect(await inShort(cut.slice(0, -1))).toEqual([
      'diary#0 user: a',
      'diary#1 user: b',
      '10 INVALID_INPUT',
    ]);
    expect(await inShort(`${line('a')}\n${line('b').slice(0, -3)}`)).toEqual([
      'diary#0 user: a',
      '2 INVALID_INPUT',
    ]);
    expect(await inShort('speaker,text\nA,a\nB,"b\n')).toEqual(['diary#0 A: a', '3 INVALID_INPUT']);
  });

  test('a damaged element does not affect the others', async () => {
    const content =
      '[{"role":"user","content":"a"},\n{"role":"user" "content":"x"},\n7,\n{"role":"user","content":"b"}]';
    expect(await inShort(content)).toEqual([
      'diary#0 user: a',
      '2 INVALID_INPUT',
      '3 INVALID_INPUT',
      'diary#3 user: b',
    ]);
  });

  test('reports a row with more cells than the header', async () => {
    expect(await inShort('speaker,text\nA,a,,\nB,b,c\nC\n')).toEqual([
      'diary#0 A: a',
      '3 INVALID_INPUT',
      '4 EMPTY_TEXT',
    ]);
  });

  test('reports a conversation of a chat program without its messages', async () => {
    expect(await inShort('[{"conversation_id":"x","mapping":[]}]')).toEqual(['1 INVALID_INPUT']);
    expect(await inShort('[{"uuid":"x","chat_messages":null}]')).toEqual(['1 INVALID_INPUT']);
    expect(await inShort('[{"sample_id":"x","conversation":{}}]')).toEqual(['1 INVALID_INPUT']);
  });

  test('throws errors that are found before reading starts', async () => {
    const read = (path: string, options: Partial<ImportOptions> = {}) =>
      Array.fromAsync(readConversationFile(path, { timeZone: 'UTC', ...options }));
    await expect(read(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    await expect(read(tmpdir().slice(0, 1) + 'dev/null')).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
    await expect(read(await fileOf(OMOIDE), { timeZone: 'Mars' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(read(await fileOf(OMOIDE), { conversationId: 'a/b' })).rejects.toMatchObject({
      code: 'INVALID_ID',
    });
    await expect(read(await fileOf('a,b\n'), { format: 'messages-csv' })).rejects.toMatchObject({
      code: 'UNKNOWN_FORMAT',
    });
  });
});

test('unknown times follow known ones, otherwise the time of the file', async () => {
  const say = (conv_id: string, timestamp: string | null) => ({
    conv_id,
    speaker: 'A',
    text: 'x',
    timestamp,
  });
  const turns = await turnsOf(
    jsonLines(say('a', null), say('b', '2020-01-01'), say('b', null), say('c', null), say('a', null)),
  );
  expect(turns.map((turn) => turn.occurredAt)).toEqual([
    WRITTEN_AT,
    Date.UTC(2020, 0, 1),
    Date.UTC(2020, 0, 1) + 1,
    WRITTEN_AT + 1,
    WRITTEN_AT + 2,
  ]);
});
