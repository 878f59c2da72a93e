import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { forwardReply, replyText, StreamedReply } from './reply.ts';

const event = (choices: object[]) => `data: ${JSON.stringify({ choices })}\n\n`;
const delta = (content: string, index = 0) => event([{ index, delta: { content }, finish_reason: null }]);
const finish = event([{ index: 0, delta: {}, finish_reason: 'stop' }]);
const DONE = 'data: [DONE]\n\n';
const bytesOf = (text: string) => new TextEncoder().encode(text);

function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces.map(bytesOf));
}

const TOLD = { onFirst: () => {}, onOver: () => {} };

describe('a streamed reply', () => {
  test('is parsed however its bytes are split', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const property = fc.property(fc.array(text), fc.integer({ min: 1, max: 40 }), (texts, size) => {
      const bytes = bytesOf(texts.map((part) => delta(part)).join('') + finish + DONE);
      const reply = new StreamedReply();
      for (let at = 0; at < bytes.length; at += size) reply.add(bytes.subarray(at, at + size));
      expect(reply).toMatchObject({ text: texts.join(''), isEnded: true, isWhole: true });
    });
    fc.assert(property);
  });

  test('is read from the first choice, ignoring unknown fields', () => {
    const reply = new StreamedReply();
    const odd = `: comment\nevent: ping\ndata: {"choices":null}\n\ndata: {"usage":{}}\n\ndata: nonsense\n\n`;
    reply.add(bytesOf(delta('A') + delta('B', 1) + odd + event([{ index: 0, delta: { tool_calls: [] } }])));
    expect(reply).toMatchObject({ text: 'A', isWhole: false });
  });
});

test.each([
  ['{"choices":[{"index":1,"message":{"content":"B"}},{"index":0,"message":{"content":"A"}}]}', 'A'],
  ['{"choices":[{"message":{"content":"A"}}]}', 'A'],
  ['{"choices":[{"index":0,"message":{"content":null,"tool_calls":[]}}]}', ''],
  ['{"error":{}}', ''],
  ['nonsense', ''],
])('the text of %s', (body, words) => {
  expect(replyText(body)).toBe(words);
});

describe('forwarding', () => {
  const never = () => new AbortController().signal;
  const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

  test('passes bytes through unchanged, and stores the reply before its end is sent', async () => {
    const kept: [string, boolean][] = [];
    const onOver = vi.fn<() => void>();
    const stream = forwardReply(
      streamOf(delta('A'), delta('B'), finish + DONE),
      async (...end) => void kept.push(end),
      never(),
      { onFirst: () => {}, onOver },
    );
    const reader = stream.getReader();
    const pieces: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { value } = await reader.read();
      pieces.push(new TextDecoder().decode(value));
      expect(kept).toEqual(count < 3 ? [] : [['AB', true]]);
    }
    expect((await reader.read()).done).toBe(true);
    expect(pieces).toEqual([delta('A'), delta('B'), finish, DONE]);
    expect(kept).toHaveLength(1);
    expect(onOver).toHaveBeenCalledOnce();
  });

  test('delivers text that arrives together with the end before the reply is stored', async () => {
    const kept = Promise.withResolvers<void>();
    const keep = vi.fn<() => Promise<void>>(() => kept.promise);
    const reader = forwardReply(streamOf(delta('[DONE]') + finish + DONE), keep, never(), TOLD).getReader();
    const words = await reader.read();
    expect(new TextDecoder().decode(words.value)).toBe(delta('[DONE]') + finish);
    expect(keep).not.toHaveBeenCalled();
    const end = reader.read();
    await vi.waitFor(() => expect(keep).toHaveBeenCalledExactlyOnceWith('[DONE]', true));
    kept.resolve();
    expect(new TextDecoder().decode((await end).value)).toBe(DONE);
    expect((await reader.read()).done).toBe(true);
  });

  test.each([1, 2, 7, 20])(
    'stores the reply before the end is sent when it arrives in pieces of %i bytes',
    async (size) => {
      const whole = delta('A') + finish + DONE;
      const bytes = bytesOf(whole);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        new TextDecoder().decode(bytes.subarray(i * size, (i + 1) * size)),
      );
      const keep = vi.fn<() => Promise<void>>(async () => {});
      const decoder = new TextDecoder();
      let text = '';
      for await (const piece of forwardReply(streamOf(...pieces), keep, never(), TOLD)) {
        text += decoder.decode(piece);
        expect(keep.mock.calls.length > 0 || !text.includes('[DONE]\n')).toBe(true);
      }
      expect(text).toBe(whole);
      expect(keep).toHaveBeenCalledOnce();
    },
  );

  test('stores what was received when the server breaks off, and reports it', async () => {
    const kept: [string, boolean][] = [];
    async function* breaking() {
      yield bytesOf(delta('A'));
      throw new Error('secret words of the connection');
    }
    const upstream = ReadableStream.from(breaking()) as ReadableStream<Uint8Array>;
    const text = await textOf(forwardReply(upstream, async (...end) => void kept.push(end), never(), TOLD));
    expect(kept).toEqual([['A', false]]);
    expect(text.startsWith(delta('A'))).toBe(true);
    expect(text).toContain('"type":"server_error"');
    expect(text).not.toContain('secret');
  });

  test('reports a reply that cannot be stored, in place of the end', async () => {
    const keep = () => Promise.reject(new Error('disk'));
    const text = await textOf(forwardReply(streamOf(delta('A'), finish, DONE), keep, never(), TOLD));
    expect(text).toContain('server_error');
    expect(text).not.toContain('[DONE]');
  });

  test.each(['cancelled', 'aborted'])(
    'stores what was received and disconnects from the server when %s',
    async (how) => {
      const kept: [string, boolean][] = [];
      let isLeft = false;
      const upstream = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(bytesOf(delta('A'))),
        cancel: () => void (isLeft = true),
      });
      const leaving = new AbortController();
      const over = Promise.withResolvers<void>();
      const stream = forwardReply(upstream, async (...end) => void kept.push(end), leaving.signal, {
        ...TOLD,
        onOver: over.resolve,
      });
      const reader = stream.getReader();
      await reader.read();
      if (how === 'aborted') leaving.abort();
      else await reader.cancel();
      await over.promise;
      expect(kept).toEqual([['A', false]]);
      expect(isLeft).toBe(true);
    },
  );
});
