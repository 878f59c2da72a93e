/** Reads streamed answers. Leaving the loop ends the answer. */

/** Yields server-sent events; skips comments, which keep the connection alive. */
export async function* readEvents(
  answer: Promise<Response>,
): AsyncGenerator<{ event: string; id: string | null; data: unknown }> {
  let event = 'message';
  let id: string | null = null;
  let data: string[] = [];
  for await (const line of readLines(answer)) {
    const [, field = '', value = ''] = /^(\w*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '' && data.length > 0) {
      yield { event, id, data: JSON.parse(data.join('\n')) as unknown };
      event = 'message';
      data = [];
    } else if (field === 'event') event = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
}

/** Lines without their ends. */
export async function* readLines(answer: Promise<Response>): AsyncGenerator<string> {
  const { body } = await answer;
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (!done || line !== '') yield line.replace(/\r$/, '');
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}
