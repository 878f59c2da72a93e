import { describe, expect, it, test } from 'vitest';
import { TermBlock } from '../termCounts.ts';
import type { Document } from '../documents.ts';
import { continuesConversation, newnessOfConversations } from './continued.ts';

describe('an utterance that continues an earlier conversation', () => {
  test.each([
    'Okay, we decided on the flexible diet. What is the next step?',
    'I’m back. I looked over the checklist you gave me.',
    'Let’s continue with the wedding speech.',
    'Where did we leave off?',
    'Last time you suggested a slower start.',
    "The draft is done, what's next?",
    '前回の続きなんだけど、次は何をすればいい？',
    'この前話した旅行の件、どうなった？',
    '決めたプランで進めよう',
    '例の件、進めたい',
    '我们上次说到哪了？',
    '接着昨天的聊吧',
    '下一步该怎么做？',
    '咱们商量的那个计划改一下',
  ])('is recognised: %s', (utterance) => {
    expect(continuesConversation(utterance)).toBe(true);
  });

  test.each([
    'Where did I go last summer?',
    'Who lives next door?',
    'What is next to the station?',
    'What did Grandma say about the broth?',
    'My back hurts.',
    'これからの予定は？',
    '次の誕生日はいつ？',
    '昨日は疲れた',
    '我上次去动物园还看到了老虎呢',
    '之前我家在苏州',
    '上次的夏令营超好玩',
  ])('is not seen in: %s', (utterance) => {
    expect(continuesConversation(utterance)).toBe(false);
  });
});

const candidate = (unitId: number, conversationId: string | null, occurredAt: number): Document => ({
  unitId,
  conversationId,
  turnIndex: 0,
  speaker: null,
  text: '',
  occurredAt,
  terms: new TermBlock().add(() => {}),
  length: 1,
  isQuestion: false,
});

describe('the newness of conversations', () => {
  it('is 1 in the newest one, 0 from the thirty-second on, and falls equally with each doubling', () => {
    const candidates = Array.from({ length: 40 }, (_, i) => candidate(i + 1, `talk ${i}`, 1_000 - i));
    const newness = newnessOfConversations(candidates);
    expect(newness[0]).toBe(1);
    expect(newness[1]).toBeCloseTo(0.8, 9);
    expect(newness[3]).toBeCloseTo(0.6, 9);
    expect(newness[7]).toBeCloseTo(0.4, 9);
    expect(newness[31]).toBe(0);
    expect(newness[39]).toBe(0);
  });

  it('is the same in all turns of a conversation; turns without one have their own', () => {
    const newness = newnessOfConversations([
      candidate(1, 'old', 1),
      candidate(2, 'new', 2),
      candidate(3, null, 3),
      candidate(4, 'old', 10),
    ]);
    expect(newness[0]).toBe(1);
    expect(newness[3]).toBe(1);
    expect(newness[2]).toBeCloseTo(0.8, 9);
    expect(newness[1]).toBeLessThan(0.8);
  });
});
