import { openMemory } from '../../../dist/index.js';

export async function open({ folder, url, options: { profile } }) {
  const embedder = { provider: 'endpoint', url, model: 'omoide' };
  const memory = await openMemory({ dataDir: folder, embedder, learn: false });
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
      for (const unit of await memory.units.list({ kinds: ['episode'] }, { limit: turns.length }))
        idOf.set(unit.id, null);
      const units = [...idOf.keys()].sort((a, b) => a - b);
      turns.forEach(({ id }, i) => idOf.set(units[i], id));
      await memory.admin.rebuild('indexes');
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
