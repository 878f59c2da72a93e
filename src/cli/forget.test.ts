import { expect, test } from 'vitest';
import { runCommand } from '../../test/cli/runCommand.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { openMemory } from '../engine/engine.ts';

const LANGUAGES = {
  en: {
    person: 'Mia',
    texts: ['Mia came to the harbour with us.', 'We ate soup with Mia and walked home.'],
    dry: /^Would be erased: 2 turns\.\n {2}#\d+ .*Mia/,
    done: /^Forgotten: 2 turns\.\n[^]*Chain head before and after: [0-9a-f]{64}\n$/,
  },
  ja: {
    person: '美咲',
    texts: ['美咲さんと港へ行きました。', '美咲さんはスープを飲みました。'],
    dry: /^消えるもの：発言 2 件。\n {2}#\d+ .*美咲さん/,
    done: /^忘れました：発言 2 件。\n[^]*前と後のチェーンの先頭：[0-9a-f]{64}\n$/,
  },
  zh: {
    person: '小雨',
    texts: ['小雨昨天跟我们去了港口。', '我们和小雨一起喝了汤。'],
    dry: /^会消失的：2 条发言。\n {2}#\d+ .*小雨/,
    done: /^已经忘记：2 条发言。\n[^]*之前和之后的链头：[0-9a-f]{64}\n$/,
  },
} as const;

test.each(Object.entries(LANGUAGES))(
  'counts and shows what will be forgotten, in the language of the turns (%s)',
  async (_, { person, texts, dry, done }) => {
    const dataDir = temporaryFolder();
    const memory = await openMemory({ dataDir, embedder: null, worker: false, learn: false });
    const turns = texts.map((text) => ({ conversationId: 'c', speaker: 'user', text }));
    await memory.add([...turns, { conversationId: 'c', speaker: 'user', text: 'OK.' }]);
    await memory.close();
    const forget = (...flags: string[]) =>
      runCommand('forget', '--person', person, '--data', dataDir, '--embedder', 'none', ...flags);
    expect((await forget('--dry-run')).stdout).toMatch(dry);
    expect((await forget('--yes')).stdout).toMatch(done);
  },
);
