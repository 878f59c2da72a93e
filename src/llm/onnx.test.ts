import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildModel, type TinyModel } from '../../test/tinyOnnx.ts';
import { openEmbedder } from './openEmbedder.ts';
import type { EmbedderSettings } from './embedderSettings.ts';

const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '猫', '你好', 'hello', 'world', 'query:', 'passage:'];
/** Powers of two, so that sums and means are exact in any order. The row of the padding would be noticed. */
const TABLE = WORDS.map((_, id) => [2 ** id, id === 0 ? 4096 : -(2 ** id)]);
const TYPES = [
  [16, 32],
  [512, 512],
];

const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

/** A directory with a model, removed after the test. */
function writeModel(model: Partial<TinyModel> | Uint8Array = {}, name = 'tiny', file = 'model.onnx'): string {
  const parent = mkdtempSync(join(tmpdir(), 'omoide-onnx-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const directory = join(parent, name);
  mkdirSync(join(directory, file, '..'), { recursive: true });
  const bytes = model instanceof Uint8Array ? model : buildModel({ table: TABLE, ...model });
  writeFileSync(join(directory, file), bytes);
  writeFileSync(join(directory, 'tokenizer.json'), JSON.stringify(TOKENIZER));
  writeFileSync(join(directory, 'tokenizer_config.json'), JSON.stringify({ pad_token: '[PAD]' }));
  return directory;
}

function open(directory: string, more: Partial<Extract<EmbedderSettings, { provider: 'onnx' }>> = {}) {
  return openEmbedder({ provider: 'onnx', directory, ...more });
}

/** The expected mean over a text of these words. */
function meanOf(...words: string[]): Float32Array {
  const rows = ['[CLS]', ...words, '[SEP]'].map((word) => TABLE[WORDS.indexOf(word)] ?? []);
  return Float32Array.from([0, 1], (d) => rows.reduce((sum, row) => sum + (row[d] ?? 0), 0) / rows.length);
}

describe('vectors', () => {
  test('are the mean over the tokens of each text, without padding', async () => {
    const embedder = await open(writeModel());
    expect(embedder.dimensions).toBe(2);
    const vectors = await embedder.embed(['猫', 'hello world 你好', 'hello'], 'document');
    expect(vectors).toEqual([meanOf('猫'), meanOf('hello', 'world', '你好'), meanOf('hello')]);
  });

  test('are that of the first token with cls pooling', async () => {
    const embedder = await open(writeModel(), { pooling: 'cls' });
    expect(await embedder.embed(['猫', 'hello world'], 'document')).toEqual([
      Float32Array.of(4, -4),
      Float32Array.of(4, -4),
    ]);
  });

  test('include token types when the model requires them', async () => {
    const embedder = await open(writeModel({ typeTable: TYPES }));
    const [vector] = await embedder.embed(['猫 hello'], 'document');
    expect(vector).toEqual(meanOf('猫', 'hello').map((value, d) => value + (TYPES[0]?.[d] ?? 0)));
  });

  test('are the model’s own when it has a sentence output', async () => {
    const embedder = await open(writeModel({ ending: 'mean over every position' }));
    expect(embedder.dimensions).toBe(2);
    expect(await embedder.embed(['hello 猫', 'world 猫'], 'document')).toEqual([
      meanOf('hello', '猫'),
      meanOf('world', '猫'),
    ]);
  });

  test('do not depend on the other texts of a batch, also for dynamically quantized models', async () => {
    const embedder = await open(writeModel({ ending: 'dynamic quantization' }));
    const texts = ['猫', 'passage: passage: query:', '你好 猫'];
    const apart = await Promise.all(texts.map((text) => embedder.embed([text], 'document')));
    expect(await embedder.embed(texts, 'document')).toEqual(apart.flat());
  });

  test('of more texts than a batch are returned in order', async () => {
    const embedder = await open(writeModel());
    const texts = Array.from({ length: 50 }, (_, i) => (i % 3 === 0 ? '猫' : 'hello world'));
    const vectors = await embedder.embed(texts, 'document');
    expect(vectors).toEqual(texts.map((text) => meanOf(...text.split(' '))));
  });

  test('of white space are zero', async () => {
    const embedder = await open(writeModel());
    expect(await embedder.embed([' \n', '猫'], 'document')).toEqual([new Float32Array(2), meanOf('猫')]);
  });

  test('of a text too long are those of its beginning, with the end token', async () => {
    const embedder = await open(writeModel(), { maxTokens: 8 });
    const [vector] = await embedder.embed(['hello '.repeat(100_000)], 'document');
    expect(vector).toEqual(meanOf(...Array.from({ length: 6 }, () => 'hello')));
  });
});

test('prefixes are known from the directory’s name, or set', async () => {
  const known = await open(writeModel({}, 'multilingual-e5-small'));
  expect(await known.embed(['猫'], 'query')).toEqual([meanOf('query:', '猫')]);
  expect(await known.embed(['猫'], 'document')).toEqual([meanOf('passage:', '猫')]);
  const set = await open(writeModel(), { queryPrefix: 'hello ' });
  expect(await set.embed(['猫'], 'query')).toEqual([meanOf('hello', '猫')]);
});

test('the id depends on the model’s content and use, not on its path', async () => {
  const [same, moved, ...others] = await Promise.all(
    [
      open(writeModel()),
      open(writeModel({}, 'elsewhere', 'onnx/model_quantized.onnx')),
      open(writeModel({ typeTable: TYPES })),
      open(writeModel(), { pooling: 'cls' }),
      open(writeModel(), { maxTokens: 8 }),
      open(writeModel(), { queryPrefix: 'q: ' }),
    ].map(async (embedder) => (await embedder).id),
  );
  expect(moved).toBe(same);
  expect(new Set([same, ...others]).size).toBe(5);
});

describe('an unusable model is rejected at opening', () => {
  test.each<[string, () => string, RegExp]>([
    ['no directory', () => '/nowhere', /\/nowhere holds no model: none of model\.onnx/],
    ['a damaged model', () => writeModel(Buffer.from('not a model')), /cannot be loaded as an ONNX model/],
    ['a model of another kind', () => writeModel({ extraInput: 'pixels' }), /it wants pixels/],
  ])('%s', async (_, directory, message) => {
    await expect(open(directory())).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringMatching(message) as string,
      details: { retryable: false },
    });
  });

  test.each([
    ['missing', null],
    ['damaged', '{'],
    ['of an unknown kind', '{"model":{"type":"Telepathy"}}'],
  ])('rejects a tokenizer that is %s', async (_, content) => {
    const directory = writeModel();
    rmSync(join(directory, 'tokenizer.json'));
    if (content !== null) writeFileSync(join(directory, 'tokenizer.json'), content);
    await expect(open(directory)).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining(`The tokenizer in ${directory}`) as string,
      details: { retryable: false },
    });
  });
});

test('without the optional packages the error names what to install', async () => {
  const door = new URL('./llm.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (name === 'onnxruntime-web' || name === '@huggingface/tokenizers') throw new Error('not installed');
        return next(name, context);
      },
    });
    const { openEmbedder } = await import(${JSON.stringify(door)});
    await openEmbedder({ provider: 'onnx', directory: '.' }).catch((error) => console.log(error.code, error.message));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toMatch(/^EMBEDDER_FAILED .*npm install onnxruntime-web @huggingface\/tokenizers/);
});
