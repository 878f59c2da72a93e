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

/** Whether the server needs `max_completion_tokens`: its newer models reject the older name that all others use. */
export function wantsNewTokenLimit(url: string): boolean {
  return new URL(url).hostname === 'api.openai.com';
}

/** Whether `name` is the usual variable for the key of a known server, and `url` that server's address. */
export function isKnownKeyVariable(url: string, name: string): boolean {
  const origin = URL.parse(url)?.origin;
  return Object.values(KNOWN_SERVERS).some(
    (server) => server.apiKeyEnv === name && new URL(server.url).origin === origin,
  );
}
