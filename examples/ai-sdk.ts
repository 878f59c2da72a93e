/**
 * An agent with a memory, built with the Vercel AI SDK.
 *
 *     node examples/ai-sdk.ts                                          a model that is played by a few lines below
 *     node examples/ai-sdk.ts http://127.0.0.1:11434/v1 qwen3:8b       one behind an OpenAI-compatible server
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ToolLoopAgent, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
// In your project: from 'omoide/ai-sdk' and from 'omoide'.
import { memoryMiddleware, memoryTools } from '../src/agents/agents.ts';
import { openMemory } from '../src/index.ts';

const [url, name = ''] = process.argv.slice(2);
const model = url ? createOpenAICompatible({ name: 'server', baseURL: url })(name) : playedModel();

const dataDir = await mkdtemp(join(tmpdir(), 'omoide-'));
const memory = await openMemory({ dataDir, timeZone: 'Asia/Tokyo' });

/** One agent for each conversation: the middleware recalls and stores turns, the model may call the tools. */
function agentFor(conversationId: string) {
  return new ToolLoopAgent({
    model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory, { conversationId }) }),
    instructions: 'あなたはソラ。短く、親しげに話す。',
    tools: memoryTools(memory),
  });
}

async function say(conversationId: string, prompt: string): Promise<void> {
  const { text } = await agentFor(conversationId).generate({ prompt });
  console.log(`はな: ${prompt}\nソラ: ${text}\n`);
}

await say('spring', '那須塩原に行ってきたよ。吊り橋、風ですごく揺れた！');
await say('spring', '甘いものは苦手だって、覚えておいて。');

// Another conversation, whose messages contain nothing of the first one.
await say('summer', 'あの吊り橋、また渡りたいな。');
await say('summer', 'おやつ、何がいいと思う？ 甘いものかな。');

console.log('Kept:');
for (const { conversationId, turns } of await memory.conversations.list({ limit: 10 })) {
  console.log(`  ${conversationId}: ${turns} turns`);
}

await memory.close();
await rm(dataDir, { recursive: true });

/** Simulates a model: it reads the prompt, calls a tool where a real model would, and answers. */
function playedModel(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  };
  const finishReason = { unified: 'stop', raw: undefined } as const;
  return new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      const said = prompt.findLast(({ role }) => role === 'user');
      const words = JSON.stringify(said?.content);
      const told = JSON.stringify(prompt.slice(0, said && prompt.indexOf(said)));
      const hasCalled = prompt.at(-1)?.role === 'tool';
      const call = (toolName: string, input: object) => ({
        content: [{ type: 'tool-call' as const, toolCallId: 'call', toolName, input: JSON.stringify(input) }],
        finishReason: { unified: 'tool-calls' as const, raw: undefined },
        usage,
        warnings: [],
      });
      const answer = (text: string) => ({
        content: [{ type: 'text' as const, text }],
        finishReason,
        usage,
        warnings: [],
      });
      if (words.includes('覚えておいて')) {
        if (hasCalled) return answer('うん、覚えたよ。');
        return call('remember', { text: 'はなは甘いものが苦手。', type: 'preference' });
      }
      if (words.includes('おやつ')) {
        if (!hasCalled) return call('recall', { utterance: '甘いものは好き？' });
        const found = JSON.stringify(prompt.at(-1)?.content).includes('苦手');
        return answer(found ? '甘いものは苦手だったよね。おせんべいは？' : 'ケーキはどう？');
      }
      return answer(
        told.includes('那須塩原') ? '那須塩原の吊り橋だね。揺れたんだよね。' : 'へえ、どんなだった？',
      );
    },
  });
}
