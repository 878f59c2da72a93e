import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { encoderFile, expectedVector, tinyEncoder } from '../../../test/tinyEncoder.ts';
import { decodeEncoder } from './decode.ts';
import { ENCODER_PATH, loadEncoder, loadEncoders } from './encoder.ts';
import { SOURCE_SHA256 } from './kernelBytes.ts';
import { createNetwork } from './network.ts';
import { readEncoderFile } from './weights.ts';

const PIECES = ['[pad]', '[unk]', '[cls]', '[sep]', '猫', '食べ', '我', 'cat', '##s', 'the', '.', 'e', '##e'];
/** Of vectors that the first version of the kernel computed with `omoide-encoder-v2`: memories contain such vectors. */
const BUNDLED_VECTORS_SHA256 = 'ecaa3496823ba071cc899ec106f657f83d45f57bc60549249f5e5cc623982f6c';
const model = tinyEncoder(PIECES);
const bytes = encoderFile(model);
const encoder = decodeEncoder(bytes);

test('the kernel was compiled from kernel.c', () => {
  const source = readFileSync(new URL('kernel.c', import.meta.url));
  expect(createHash('sha256').update(source).digest('hex')).toBe(SOURCE_SHA256);
});

test('the bundled data file has the recorded hash', () => {
  const [hash] = readFileSync(ENCODER_PATH.replace('.bin', '.sha256'), 'utf8').split(' ');
  expect(createHash('sha256').update(readFileSync(ENCODER_PATH)).digest('hex')).toBe(hash);
});

describe('the vector', () => {
  test.each([
    ['the cats.', [2, 9, 7, 8, 10, 3]],
    ['猫食べ', [2, 4, 5, 3]],
    ['我 cat', [2, 6, 7, 3]],
    ['e', [2, 11, 3]],
  ])('of “%s” equals a plain computation of the layers', (text, ids) => {
    const vector = encoder.embed(text);
    const expected = expectedVector(model, ids);
    expect(vector).toHaveLength(expected.length);
    vector.forEach((value, d) => expect(value).toBeCloseTo(expected[d] ?? NaN, 2));
  });

  test('is the same each time, whatever was embedded before', () => {
    const first = encoder.embed('the cats.');
    encoder.embed('我 cat 猫食べ the the the the the');
    expect(encoder.embed('the cats.')).toEqual(first);
  });

  test.each(['plain', 'dot8'] as const)('has the same bits with %s products', (products) => {
    const file = readEncoderFile(bytes);
    const [expected, network] = [createNetwork(bytes, file), createNetwork(bytes, file, products)];
    for (let count = 3; count <= file.shape.positions; count++) {
      const ids = Array.from({ length: count }, (_, t) => (t * 5 + count) % PIECES.length);
      expect(network.run(ids)).toEqual(expected.run(ids));
    }
  });

  test.each(['plain', 'dot8'] as const)(
    'of the bundled encoder has the bits of stored vectors, with %s products',
    (products) => {
      const bundled = readFileSync(ENCODER_PATH);
      const file = readEncoderFile(bundled);
      const network = createNetwork(bundled, file, products);
      const hash = createHash('sha256');
      for (const count of [3, 4, 9, 16, 29, file.shape.positions])
        hash.update(
          network.run(Array.from({ length: count }, (_, t) => (t * 977 + count) % file.shape.pieces)),
        );
      expect(hash.digest('hex')).toBe(BUNDLED_VECTORS_SHA256);
    },
  );

  test('of a text too long is that of its beginning', () => {
    const room = encoder.maxPieces - 2;
    expect(encoder.embed('the '.repeat(room + 20))).toEqual(encoder.embed('the '.repeat(room)));
    expect(encoder.countPieces('the '.repeat(1_000))).toBe(encoder.maxPieces);
  });

  test('of an empty text is zero', () => {
    for (const text of ['', ' \n\t', '\u200b']) expect(new Set(encoder.embed(text))).toEqual(new Set([0]));
  });

  test('is the same in a worker thread', async () => {
    const path = join(temporaryFolder(), 'tiny.bin');
    writeFileSync(path, bytes);
    const { bulk } = loadEncoders(path);
    const texts = ['the cats.', '猫', '', 'eee', '我食べ', 'the'];
    expect(await bulk.embed(texts)).toEqual(texts.map((text) => encoder.embed(text)));
    expect(await bulk.embed([])).toEqual([]);
  });
});

describe('an unusable data file is reported with its path:', () => {
  test.each([
    ['missing', undefined, 'cannot be read'],
    ['empty', Buffer.alloc(0), 'not an Omoide encoder'],
    ['another kind of file', Buffer.alloc(4_096, 7), 'not an Omoide encoder'],
    ['cut short', bytes.subarray(0, 5_000), 'cut short'],
    ['longer', Buffer.concat([bytes, Buffer.alloc(16)]), 'cut short or damaged'],
    [
      'of another version',
      Buffer.concat([bytes.subarray(0, 8), Buffer.from([9]), bytes.subarray(9)]),
      'version 9',
    ],
  ])('%s', (name, content, reason) => {
    const path = join(temporaryFolder(), `${name}.bin`);
    if (content !== undefined) writeFileSync(path, content);
    expect(() => loadEncoder(path)).toThrow(new RegExp(`${name}\\.bin.*(${reason})`));
  });
});
