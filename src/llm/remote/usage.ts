import { isRecord, parseJson } from '../../model/model.ts';
import type { ModelUsage } from '../languageModel.ts';

export const UNKNOWN_USAGE: ModelUsage = { inputTokens: null, outputTokens: null };

/** Extracts the token counts from an answer while it is read. */
export interface UsageReader {
  push(bytes: Uint8Array): void;
  /** The last counts from the server; nulls when there were none. */
  usage(): ModelUsage;
  /** The whole text, if it was to be kept. */
  text(): string;
}

/** @param isStream whether the answer is a stream of server-sent events instead of one JSON value */
export function createUsageReader(isStream: boolean, keepsText: boolean): UsageReader {
  const decoder = new TextDecoder();
  let usage = UNKNOWN_USAGE;
  let rest = '';
  let kept = '';
  const readLines = () => {
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data:')) usage = usageIn(line.slice('data:'.length)) ?? usage;
  };
  return {
    push(bytes) {
      const words = decoder.decode(bytes, { stream: true });
      if (keepsText) kept += words;
      rest += words;
      if (isStream) readLines();
    },
    usage: () => usageIn(rest) ?? usage,
    text: () => kept,
  };
}

/** Null when `json` is not JSON, or contains no counts. */
function usageIn(json: string): ModelUsage | null {
  if (!json.includes('"usage"')) return null;
  try {
    const answer = parseJson(json);
    const usage = isRecord(answer) ? answer['usage'] : null;
    return isRecord(usage)
      ? { inputTokens: countOf(usage['prompt_tokens']), outputTokens: countOf(usage['completion_tokens']) }
      : null;
  } catch {
    return null;
  }
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}
