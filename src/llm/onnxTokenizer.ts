import { messageOf } from '../model/model.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import { embedderFailed } from './embedder.ts';

/** The ids of a text's tokens, including the special ones, at most as many as the model reads. */
type Tokenize = (text: string) => number[];

/** Tokens are not longer on average: text beyond this would be cut anyway, and is not tokenized. */
const MAX_TOKEN_UNITS = 16;

interface TokenizerFiles {
  readonly tokenize: Tokenize;
  /** Pads the shorter texts of a batch. Some models count positions by it, so it must be the correct one. */
  readonly padId: number;
  /** The content of the files, for the embedder's id. */
  readonly bytes: Buffer;
}

/** The tokenizer in a model's directory. @throws MemoryError EMBEDDER_FAILED */
export async function readTokenizer(
  directory: string,
  Constructor: typeof Tokenizer,
  maxTokens: number,
): Promise<TokenizerFiles> {
  try {
    const bytes = await readFile(join(directory, 'tokenizer.json'));
    const settings = await readOptional(join(directory, 'tokenizer_config.json'));
    const definition = JSON.parse(bytes.toString()) as object;
    const config = JSON.parse(settings.toString()) as { pad_token?: string | { content: string } | null };
    const tokenizer = new Constructor(definition, config);
    const padToken = typeof config.pad_token === 'object' ? config.pad_token?.content : config.pad_token;
    return {
      tokenize: limit(tokenizer, maxTokens),
      padId: paddingId(definition) ?? tokenizer.token_to_id(padToken ?? '[PAD]') ?? 0,
      bytes: Buffer.concat([bytes, settings]),
    };
  } catch (cause) {
    const reason = messageOf(cause);
    throw embedderFailed(`The tokenizer in ${directory} cannot be loaded: ${reason}`, {
      retryable: false,
      cause,
    });
  }
}

async function readOptional(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    return Buffer.from('{}');
  }
}

function paddingId(definition: { padding?: { pad_id?: number } | null }): number | undefined {
  return definition.padding?.pad_id;
}

/** The library does not truncate: a text that is too long keeps its beginning and the final special token, if any. */
function limit(tokenizer: Tokenizer, maxTokens: number): Tokenize {
  const closing = tokenizer.encode('').ids.at(-1);
  return (text) => {
    const readable = text.slice(0, maxTokens * MAX_TOKEN_UNITS).toWellFormed();
    const { ids } = tokenizer.encode(readable);
    if (ids.length <= maxTokens) return ids;
    return closing !== undefined && ids.at(-1) === closing
      ? [...ids.slice(0, maxTokens - 1), closing]
      : ids.slice(0, maxTokens);
  };
}
