// The same vectors for all: Omoide's own /v1/embeddings with a cache that is filled before the measurement, so that the
// memory and not the embedder is measured.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli/cli.js', import.meta.url));
const BATCH = 64;

export async function startVectors(folder, embedder) {
  const omoide = await startOmoide(join(folder, 'embedder'), embedder);
  const known = new Map();

  async function embed(texts) {
    const missing = [...new Set(texts)].filter((text) => !known.has(text));
    for (let i = 0; i < missing.length; i += BATCH) {
      const input = missing.slice(i, i + BATCH);
      const response = await fetch(`${omoide.url}/v1/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${omoide.token}` },
        body: JSON.stringify({ model: 'omoide', input }),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      const { data } = await response.json();
      for (const { index, embedding } of data) known.set(input[index], embedding);
    }
    return texts.map((text) => known.get(text));
  }

  const server = createServer((request, response) => {
    answer(request, response, embed).catch((error) => {
      process.stderr.write(`vectors: ${error.message}: ${error.cause?.message ?? ''}\n`);
      response.statusCode = 500;
      response.end(JSON.stringify({ error: { message: error.message } }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    model: embedder,
    async prepare({ conversations }) {
      for (const { turns, queries } of conversations)
        await embed(
          [...turns.flatMap(textsOf), ...queries.map(({ text }) => text)].filter(
            (text) => text.trim() !== '',
          ),
        );
    },
    async close() {
      server.close();
      server.closeAllConnections();
      omoide.child.kill();
      await new Promise((resolve) => omoide.child.once('exit', resolve));
    },
  };
}

/** The text that memories embed: the turn alone, or with its speaker. */
export function textsOf({ speaker, text }) {
  return [text, `${speaker}: ${text}`];
}

async function answer(request, response, embed) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { input, encoding_format } = JSON.parse(Buffer.concat(chunks).toString());
  const texts = [input].flat();
  const vectors = await embed(texts);
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding:
      encoding_format === 'base64'
        ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
        : vector,
  }));
  response.setHeader('content-type', 'application/json');
  const usage = { prompt_tokens: 0, total_tokens: 0 };
  response.end(JSON.stringify({ object: 'list', data, model: 'omoide', usage }));
}

async function startOmoide(folder, embedder) {
  mkdirSync(folder, { recursive: true });
  const token = 'peers-'.padEnd(43, '0');
  const args = [CLI, 'serve', '--data', folder, '--port', '0', '--embedder', embedder];
  const child = spawn(process.execPath, args, { env: { ...process.env, OMOIDE_TOKEN: token } });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk) => {
      output += chunk;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (address) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(output)));
  });
  return { url, token, child };
}
