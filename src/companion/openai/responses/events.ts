const END = '[DONE]';

/** The JSON values of a server-sent event stream, up to its end. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
      if (data !== '' && data !== END) yield parsed(data);
    }
  }
}

/** Null for invalid JSON. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}
