import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommand as omoide } from '../../test/cli/runCommand.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { buildModel } from '../../test/tinyOnnx.ts';

const NAME = 'multilingual-e5-small';
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'dogs.'];
const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

let folder: string;
let files: string;

beforeEach(() => {
  folder = temporaryFolder();
  files = join(folder, 'downloaded');
  mkdirSync(files);
  vi.stubEnv('OMOIDE_DATA', folder);
  writeModel(384);
  writeFileSync(join(files, 'tokenizer.json'), JSON.stringify(TOKENIZER));
  writeFileSync(join(files, 'tokenizer_config.json'), '{"pad_token":"[PAD]"}');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Each word has its own component of the vector. */
function writeModel(dimensions: number): void {
  const table = WORDS.map((_, id) => Array.from({ length: dimensions }, (__, d) => (d === id ? 4 ** id : 0)));
  writeFileSync(join(files, 'model.onnx'), buildModel({ table }));
}

async function list(): Promise<unknown> {
  return JSON.parse((await omoide('embedder', '--json')).stdout);
}

test('uses the bundled embedder by default, and lists the others', async () => {
  expect(await list()).toMatchObject({ active: 'bundled', installed: [] });
  expect((await omoide('embedder')).stdout).toMatch(/^\* bundled .*\n {2}multilingual-e5-small .*384/);
});

test.each(['', 'model.onnx'])(
  'checks and sets a model from its folder or file, and resets it (%s)',
  async (file) => {
    const { stdout } = await omoide('embedder', 'install', NAME, '--from', join(files, file));
    expect(stdout).toContain(`${NAME} is set`);
    expect(await list()).toMatchObject({
      active: NAME,
      installed: [
        {
          id: NAME,
          settings: {
            directory: files,
            pooling: 'mean',
            queryPrefix: 'query: ',
            documentPrefix: 'passage: ',
          },
        },
      ],
    });
    await omoide('embedder', 'reset');
    expect(await list()).toMatchObject({ active: 'bundled', installed: [{ id: NAME }] });
  },
);

describe('sets nothing and gives the reason when', () => {
  test.each([
    ['the model is not known', 'best', () => {}, 'Known models: multilingual-e5-small'],
    ['there is no such folder', NAME, () => rmSync(files, { recursive: true }), 'There is no'],
    ['the model is missing', NAME, () => rmSync(join(files, 'model.onnx')), 'holds no model'],
    ['the tokenizer is missing', NAME, () => rmSync(join(files, 'tokenizer.json')), 'no tokenizer.json'],
    ['its vectors have another size', NAME, () => writeModel(64), '64 numbers, not 384'],
    ['it is damaged', NAME, () => writeFileSync(join(files, 'model.onnx'), 'damaged'), 'cannot be loaded'],
  ])('%s', async (_what, name, damage, reason) => {
    damage();
    const { stderr, code } = await omoide('embedder', 'install', name, '--from', files);
    expect(stderr).toContain(reason);
    expect(code).toBe(1);
    expect(await list()).toMatchObject({ active: 'bundled', installed: [] });
  });
});
