export interface KnownServer {
  readonly url: string;
  readonly apiKeyEnv?: string;
  readonly structuredOutput?: 'prompt';
}

/** Servers that have short names. All use OpenAI's protocol, some at their own path. */
export const KNOWN_SERVERS: Readonly<Record<string, KnownServer>> = {
  openai: { url: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiKeyEnv: 'GEMINI_API_KEY',
  },
  // It accepts a schema in the request but ignores it.
  anthropic: {
    url: 'https://api.anthropic.com/v1',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    structuredOutput: 'prompt',
  },
  ollama: { url: 'http://127.0.0.1:11434/v1' },
  lmstudio: { url: 'http://127.0.0.1:1234/v1' },
};

/** A body for the server at `url`. OpenAI's newer models reject the name of the token limit that all others use. */
export function renameTokenLimit(
  body: Readonly<Record<string, unknown>>,
  url: string,
): Readonly<Record<string, unknown>> {
  const { max_tokens: limit, ...rest } = body;
  const wantsNewName = new URL(url).hostname === 'api.openai.com';
  return limit === undefined || !wantsNewName ? body : { ...rest, max_completion_tokens: limit };
}

/** Whether `name` is the usual variable for the key of a known server, and `url` that server's address. */
export function isKnownKeyVariable(url: string, name: string): boolean {
  const origin = URL.parse(url)?.origin;
  return Object.values(KNOWN_SERVERS).some(
    (server) => server.apiKeyEnv === name && new URL(server.url).origin === origin,
  );
}
