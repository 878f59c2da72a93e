import { openMemory } from '../../../dist/index.js';

export async function open({ folder, url, options: { profile, embedder } }) {
  const served = { provider: 'endpoint', url, model: 'omoide' };
  const memory = await openMemory({ dataDir: folder, embedder: embedder ?? served, learn: false });
  const idOf = new Map();
  return {
    async add(turns) {
      const drafts = turns.map(({ speaker, text, at, session }) => ({
        conversationId: session,
        speaker,
        text,
        occurredAt: Date.parse(at),
      }));
      await memory.add(drafts);
      const episodes = await memory.units.list({ kinds: ['episode'] }, { limit: turns.length });
      const unitIds = episodes.map(({ id }) => id).sort((a, b) => a - b);
      turns.forEach(({ id }, i) => idOf.set(unitIds[i], id));
      await vectorsOf(memory);
    },
    async search(text, limit, askedAt) {
      const { hits } = await memory.recall(text, {
        profile,
        limit,
        now: Date.parse(askedAt),
        budgetTokens: 1_000_000,
        count: false,
      });
      return hits.map(({ unitId }) => idOf.get(unitId));
    },
    close: () => memory.close(),
  };
}

/** Resolves when the background has created every vector. */
async function vectorsOf(memory) {
  for (;;) {
    const { queued, running } = await memory.jobs.count();
    if (queued + running === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
