// Measures one memory on one set: a new memory for each conversation, all turns added, then every question.
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { file, options, set, folder, url, answer } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { open } = await import(`./memories/${file}.mjs`);
const found = { 5: [], 10: [] };
const times = [];
let ingestMs = 0;
let turns = 0;
let disk = 0;
for (const [i, conversation] of set.conversations.entries()) {
  const place = join(folder, `conversation-${i}`);
  mkdirSync(place);
  const memory = await open({ folder: place, url, options });
  const startedAt = performance.now();
  await memory.add(conversation.turns);
  ingestMs += performance.now() - startedAt;
  turns += conversation.turns.length;
  for (const { text, askedAt, gold } of conversation.queries) {
    const askedFor = performance.now();
    const ten = await memory.search(text, 10, askedAt);
    times.push(performance.now() - askedFor);
    // A memory without a ranking is asked for five results.
    const five = memory.isRanked === false ? await memory.search(text, 5, askedAt) : ten.slice(0, 5);
    found[10].push(share(ten, gold));
    found[5].push(share(five, gold));
  }
  await memory.close?.();
  disk += sizeOf(place);
}
times.sort((a, b) => a - b);
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
writeFileSync(
  answer,
  JSON.stringify({
    recall5: mean(found[5]),
    recall10: mean(found[10]),
    p50: times[Math.floor(times.length / 2)],
    p95: times[Math.floor(times.length * 0.95)],
    ingest: (turns / ingestMs) * 1_000,
    rssMiB: process.resourceUsage().maxRSS / 1_024,
    diskMiB: disk / 2 ** 20,
  }),
);
process.exit(0);

function share(ids, gold) {
  return gold.filter((id) => ids.includes(id)).length / gold.length;
}

function sizeOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}
