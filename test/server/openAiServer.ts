/** A server with a scripted model and its memory, for tests of OpenAI's clients. */
import { onTestFinished } from 'vitest';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { startTestServer } from './testServer.ts';

export type OpenAiServer = Awaited<ReturnType<typeof startTestServer>> & { readonly model: ScriptedModel };

export async function startOpenAiServer(
  given: Parameters<typeof startTestServer>[0] = {},
): Promise<OpenAiServer> {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const chat = { provider: 'endpoint', url: model.url, model: 'scripted', retries: 0 } as const;
  const server = await startTestServer({
    modelOverrides: { chat, embedder: { provider: 'hashed' } },
    ...given,
  });
  return { ...server, model };
}

/** The turns of each conversation, oldest first, as `speaker: text`. */
export async function conversations({ client }: OpenAiServer, memoryId = 'default'): Promise<string[][]> {
  const { items } = await client.listConversations({ memoryId });
  const all = items.map(async ({ conversationId }) => {
    const { items: turns } = await client.listTurns({ memoryId, conversationId });
    return turns.map(({ speaker, text }) => `${speaker}: ${text}`).toReversed();
  });
  return Promise.all(all);
}
