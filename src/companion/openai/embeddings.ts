import { z } from 'zod';
import type { Embedder } from '../../engine/engine.ts';
import { checkText, MemoryError, parseInput } from '../../model/model.ts';
import { countTokens } from '../../text/text.ts';

const MAX_INPUTS = 2_048;

const requestSchema = z.looseObject({
  input: z.union([z.string(), z.array(z.string()).min(1).max(MAX_INPUTS)], {
    error: 'must be a text or a list of 1 to 2,048 texts; tokens are not read',
  }),
  encoding_format: z.enum(['float', 'base64']).default('float'),
  dimensions: z.int().min(1).optional(),
});

/**
 * Embeds texts as vectors of length 1, in OpenAI's format.
 * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, NO_MODEL, EMBEDDER_FAILED
 */
export async function embeddings(
  embedder: Embedder | null,
  body: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const request = parseInput(requestSchema, body, 'a request for embeddings');
  const texts = [request.input].flat().map((text) => checkText(text));
  if (!embedder) throw new MemoryError('NO_MODEL', 'No embedding model is configured.');
  const vectors = (await embedder.embed(texts, 'document')).map(toUnitLength);
  const dimensions = vectors[0]?.length ?? 0;
  if (request.dimensions !== undefined && request.dimensions !== dimensions)
    throw new MemoryError('INVALID_INPUT', `The model only supports ${dimensions} dimensions.`);
  const encode = request.encoding_format === 'base64' ? toBase64 : (vector: Float32Array) => [...vector];
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) })),
    model: embedder.id,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** As 32-bit floats, little-endian. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}
