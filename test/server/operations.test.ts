import { Validator } from '@seriousme/openapi-schema-validator';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/serve/operation.ts';
import { OPERATIONS } from '../../src/serve/operations/operations.ts';
import { ROUTES } from '../../src/serve/routes.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const TABLE = Object.values<Operation>(OPERATIONS);

async function openWithModel(model: ScriptedModel) {
  model.answer(() => 'そうだね、行こう。');
  const settings = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'notes'));
  return openTestServer({
    dataDir,
    archive: join(dataDir, 'archive'),
    modelOverrides: { chat: settings, embedder: { provider: 'hashed' } },
  });
}

const TEXTS = ['那須塩原の吊り橋、すごく揺れたね。', 'また行きたいな。', '京都にも行こう。'];

async function ingest({ client }: TestServer): Promise<number[]> {
  const turns = TEXTS.map((text, turnIndex) => ({
    conversationId: 'c1',
    turnIndex,
    speaker: turnIndex % 2 === 0 ? 'user' : 'ai',
    text,
  }));
  const kept = await client.ingestTurns({ ...MEMORY, body: { turns } });
  return kept.turns.map(({ unitId }) => unitId);
}

/** People are created only by derivations: these are stored like the results of one. */
async function addPeople({ dataDir }: TestServer, unitId: number): Promise<void> {
  const path = `${dataDir}/memory_default.db`;
  const store = openSqliteStore(path, { memoryId: 'default', timeZone: 'Asia/Tokyo', now: Date.now });
  const person = { entityId: null, type: 'person' as const, aliases: [], confidence: 1 };
  await store.units.applyDerivation({
    mark: { unitId, kind: 'extract_entities', fingerprint: 'test' },
    changes: [],
    mentions: [
      { ...person, name: '田中', surface: '田中' },
      { ...person, name: 'Tanaka', surface: 'Tanaka' },
    ],
    relations: [{ from: 0, to: 1, relation: 'knows', weight: 0.5 }],
  });
  await store.close();
}

async function talk(server: TestServer): Promise<void> {
  const { client } = server;
  const events = await Array.fromAsync(
    client.chat({ body: { conversationId: 'c2', text: '旅行の話をしよう。' } }),
  );
  expect(events.at(-1)).toMatchObject({ event: 'done', data: { conversationId: 'c2' } });
  const body = { model: 'omoide', messages: [{ role: 'user', content: '吊り橋は覚えてる？' }] };
  const completion = (await (await client.createChatCompletion({ body })).json()) as {
    choices: { message: { content: string } }[];
  };
  expect(completion.choices[0]?.message.content).toBe('そうだね、行こう。');
  const response = await client.createResponse({ body: { model: 'omoide', input: 'もう一度言って。' } });
  expect(await response.json()).toMatchObject({ object: 'response', status: 'completed' });
  expect((await client.listModels()).data[0]?.id).toBe('omoide');
  expect((await client.createEmbeddings({ body: { input: '吊り橋' } })).data).toHaveLength(1);
  await client.metaRequest({ body: { prompt: 'Ask about the trip.' } });
  await client.notify({ body: { from: 'calendar', message: '明日は歯医者です。' } });
  for await (const { event, data } of client.streamEvents()) {
    expect(data.type).toBe(event);
    if (event === 'notification') break;
  }
}

async function manageUnits({ client }: TestServer, unitId: number): Promise<void> {
  const fact = { kind: 'fact', payload: { subject: 'user', predicate: 'lives in', object: '京都' } } as const;
  const made = await client.createUnit({ ...MEMORY, body: { content: fact } });
  expect(await client.readUnit({ ...MEMORY, unitId: made.id })).toEqual(made);
  const pinned = await client.changeUnit({ ...MEMORY, unitId: made.id, body: { pinned: true } });
  expect(pinned).toMatchObject({ pinned: true, version: made.version + 1 });
  const restored = await client.restoreUnit({ ...MEMORY, unitId: made.id, body: { version: 1 } });
  expect(restored.pinned).toBe(false);
  const { items } = await client.listUnitVersions({ ...MEMORY, unitId: made.id });
  expect(items.map(({ version }) => version)).toEqual([1, 2, 3]);
  expect((await client.listFacts({ ...MEMORY, query: { current: true } })).items.map(({ id }) => id)).toEqual(
    [made.id],
  );
  const history = await client.readFactHistory({ ...MEMORY, unitId: made.id });
  expect(history.items.map((period) => period.unitId)).toEqual([made.id]);
  await client.archiveUnit({ ...MEMORY, unitId: made.id });
  expect((await client.listFacts(MEMORY)).items).toEqual([]);
  expect((await client.listUnits({ ...MEMORY, query: { conversationId: 'c1' } })).items.at(-1)?.id).toBe(
    unitId,
  );
  expect((await client.listLoops(MEMORY)).items).toEqual([]);
  const loop = await client.createUnit({
    ...MEMORY,
    body: { content: { kind: 'loop', payload: { text: 'Call Mia', dueAt: null, evidence: [] } } },
  });
  const closed = await client.changeLoop({ ...MEMORY, unitId: loop.id, body: { action: 'done' } });
  expect(closed.payload.status).toBe('done');
  expect((await client.listSummaries(MEMORY)).items).toEqual([]);
  const places = [{ kind: 'address' as const, from: 0, to: 4 }];
  const masked = await client.maskUnit({ ...MEMORY, unitId, body: { places } });
  expect(masked).toMatchObject({ isMasked: true, places: [{ text: '那須塩原' }] });
  const shown = await client.listSensitive({ ...MEMORY, query: { maxSensitivity: 'secret' } });
  expect(shown.items).toContainEqual(masked);
  expect(await client.readMasks({ ...MEMORY, unitId })).toMatchObject({ isShown: false });
  await client.maskUnit({ ...MEMORY, unitId, body: { places: [] } });
  expect((await client.listSensitive(MEMORY)).items.map((turn) => turn.unitId)).not.toContain(unitId);
  const policy = { policy: 'mask', own: 'mask' } as const;
  expect(await client.changeSensitivePolicy({ ...MEMORY, body: { policy: 'mask' } })).toEqual(policy);
  expect(await client.readSensitivePolicy(MEMORY)).toEqual(policy);
}

async function manageEntities(server: TestServer, unitId: number): Promise<void> {
  const { client } = server;
  await addPeople(server, unitId);
  const { items } = await client.listEntities({ ...MEMORY, query: { type: 'person' } });
  const [first, second] = items;
  if (!first || !second) throw new Error('There are no people.');
  const place = { ...MEMORY, entityId: first.id };
  expect(await client.readEntity(place)).toMatchObject({
    edges: [{ relation: 'knows' }],
    mentions: [{ unitId }],
  });
  expect(await client.changeEntity({ ...place, body: { salience: 0.9 } })).toMatchObject({ salience: 0.9 });
  expect(await client.readNeighbourhood(place)).toMatchObject({
    entities: [{ id: first.id }, { id: second.id }],
    edges: [{ relation: 'knows' }],
    isCut: false,
  });
  const body = { unitIds: [unitId], name: '田中 一郎' };
  const other = await client.splitEntity({ ...place, body });
  expect(other).toMatchObject({ name: '田中 一郎', type: 'person' });
  const derived = await client.listDerived({ ...MEMORY, unitId });
  expect(derived.entities.map(({ id }) => id).toSorted()).toEqual([second.id, other.id]);
  expect((await client.mergeEntity({ ...place, body: { into: second.id } })).id).toBe(second.id);
}

async function manageJobs({ client }: TestServer): Promise<void> {
  expect(await client.requestSummary({ ...MEMORY, body: { scope: 'person', scopeKey: '1' } })).toEqual({
    isNew: true,
  });
  expect(await client.requestSummary({ ...MEMORY, body: { scope: 'person', scopeKey: '1' } })).toEqual({
    isNew: false,
  });
  const { items, counts } = await client.listJobs({ ...MEMORY, query: { kind: 'summarize' } });
  expect(items[0]).toMatchObject({ kind: 'summarize', status: 'queued' });
  expect(counts.queued).toBeGreaterThan(0);
  const jobId = items[0]?.id ?? 0;
  expect(await client.runJob({ ...MEMORY, jobId })).toEqual({ count: 1 });
  expect(await client.retryJob({ ...MEMORY, jobId })).toEqual({ count: 0 });
  expect(await client.retryJobs(MEMORY)).toEqual({ count: 0 });
}

/** Topics are created only by derivations, too. */
async function addTopic({ dataDir }: TestServer, unitIds: readonly number[]): Promise<number> {
  const path = `${dataDir}/memory_default.db`;
  const store = openSqliteStore(path, { memoryId: 'default', timeZone: 'Asia/Tokyo', now: Date.now });
  const topic = { title: '那須塩原', summary: null, source: 'assign_topic:rules' };
  const [topicId = 0] = await store.topics.assign(
    unitIds.map((unitId, i) => ({
      mark: { unitId, kind: 'assign_topic', fingerprint: 'test' },
      topic: i === 0 ? topic : { sameAs: 0 },
      vector: null,
    })),
  );
  await store.close();
  return topicId;
}

async function manageTopics(server: TestServer, unitIds: readonly number[]): Promise<void> {
  const { client } = server;
  const topicId = await addTopic(server, unitIds);
  const place = { ...MEMORY, topicId };
  const topic = await client.readTopic(place);
  expect((await client.listTopics(MEMORY)).items).toEqual([topic]);
  expect((await client.changeTopic({ ...place, body: { strength: 0.7 } })).strength).toBe(0.7);
  expect((await client.listTopicEpisodes(place)).items.map(({ id }) => id)).toEqual(unitIds);
  const bundle = await client.autoRecall({ ...MEMORY, body: { utterance: '吊り橋' } });
  expect(bundle.topics[0]?.id).toBe(topicId);
  expect(await client.explore({ ...MEMORY, body: { query: { topic: topicId } } })).toMatchObject({
    view: 'timeline',
    nothing: null,
  });
  expect((await client.readTopicMap(MEMORY)).items).toMatchObject([{ topic: { id: topicId }, x: 0, y: 0 }]);
  const by = { at: 1, by: 'user', refresh: [] };
  const archive = { type: 'archiveUnits' as const, unitIds: unitIds.slice(0, 1), reason: '古い' };
  const described = await client.describeReorganization({
    ...MEMORY,
    body: { plan: { ...by, operations: [archive] } },
  });
  expect(described.lines.join()).not.toBe('');
  const { plan } = await client.planReorganization(MEMORY);
  const entry = await client.reorganize({ ...MEMORY, body: { plan } });
  expect((await client.listJournal(MEMORY)).items).toEqual([entry]);
  const journalPlace = { ...MEMORY, entryId: entry.id };
  expect(await client.readJournalEntry(journalPlace)).toEqual(entry);
  expect((await client.rollback(journalPlace)).state).toBe('rolled_back');
}

async function useNotes({ client }: TestServer): Promise<void> {
  expect(await client.listNotes(MEMORY)).toEqual({ folder: true, items: [] });
  const uri = 'user/preferences.md';
  const written = await client.writeNote({
    ...MEMORY,
    body: { uri, text: '- お茶が好き\n', expectedHash: null },
  });
  expect(await client.readNote({ ...MEMORY, query: { uri } })).toEqual(written);
  const late = client.writeNote({ ...MEMORY, body: { uri, text: 'x', expectedHash: null } });
  await expect(late).rejects.toMatchObject({ code: 'NOTE_CONFLICT' });
}

async function watchUse({ client }: TestServer, unitId: number): Promise<void> {
  const utterance = '吊り橋';
  const body = { unitId, utterance, verdict: 'helped' } as const;
  const feedback = await client.giveFeedback({ ...MEMORY, body });
  expect((await client.listFeedback(MEMORY)).items).toEqual([feedback]);
  const lines = await Array.fromAsync(client.exportFeedback({ ...MEMORY, query: { file: 'queries' } }));
  expect(JSON.parse(lines.join())).toMatchObject({ text: utterance, evidence: ['t1'] });
  const usage = await client.readUsage(MEMORY);
  expect(usage.recalls).toBeGreaterThan(0);
  expect(usage.profiles[0]).toMatchObject({ profile: 'conversation', helped: 1, wrong: 0 });
  await client.removeFeedback({ ...MEMORY, feedbackId: feedback.id });
  expect((await client.listFeedback(MEMORY)).items).toEqual([]);
  expect((await client.listDays(MEMORY)).items[0]?.turns).toBeGreaterThan(0);
}

async function operate({ client, dataDir }: TestServer, modelUrl: string): Promise<void> {
  const { id } = await client.createToken({ body: { name: 'phone', memoryId: 'default' } });
  expect((await client.listTokens()).items).toMatchObject([{ name: 'test' }, { id, memoryId: 'default' }]);
  await client.revokeToken({ tokenId: id });
  expect((await client.listTokens()).items).toHaveLength(1);
  expect((await client.listAudit({ query: { limit: 1 } })).items).toMatchObject([{ outcome: 'done' }]);
  const settings = { provider: 'endpoint', url: modelUrl, model: 'scripted' } as const;
  await client.changeSettings({ body: { presets: { llm: [{ id: 'm', name: 'M', settings }] } } });
  expect(await client.testModel({ body: { id: 'm' } })).toMatchObject({ ok: true, problem: null });
  expect((await client.readModelUsage()).items.map(({ purpose }) => purpose)).toContain('chat');
  const { path } = await client.backUpMemory(MEMORY);
  expect(path.startsWith(dataDir)).toBe(true);
}

/** A dry run of each kind, then a real run. */
async function forget({ client }: TestServer): Promise<void> {
  const query = { dryRun: 'true' } as const;
  const turn = await client.forgetTurn({ ...MEMORY, turnId: 1, query });
  expect(turn).toMatchObject({ isDryRun: true, counts: { episode: 1 }, receipt: null });
  const conversation = await client.forgetConversation({ ...MEMORY, conversationId: 'c1', query });
  expect(conversation.counts.episode).toBe(3);
  const unitId = turn.samples[0]?.unitId ?? 0;
  expect((await client.forgetUnit({ ...MEMORY, unitId, query })).counts).toEqual(turn.counts);
  const forgotten = await client.forget({ ...MEMORY, body: { conversation: 'c1' } });
  expect(forgotten).toMatchObject({ isDryRun: false, receipt: expect.any(Object) as object });
  const { problems } = await client.verifyMemory(MEMORY);
  expect(problems).toEqual([]);
  expect((await client.listTurns({ ...MEMORY, conversationId: 'c1' })).items).toEqual([]);
}

test('every operation answers with the shape in the table', async () => {
  const model = await startScriptedModel();
  const server = await openWithModel(model);
  const { client } = server;
  const unitIds = await ingest(server);
  const [unitId = 0] = unitIds;
  expect((await client.listMemories()).items.map(({ memoryId }) => memoryId)).toEqual(['default']);
  expect(await client.readStats(MEMORY)).toMatchObject({ turns: 3, embedder: 'omoide-hashed-v1' });
  expect((await client.listConversations(MEMORY)).items).toMatchObject([{ conversationId: 'c1', turns: 3 }]);
  const turns = await client.listTurns({ ...MEMORY, conversationId: 'c1' });
  expect(turns.items.map(({ text }) => text)).toEqual(TEXTS.toReversed());

  const body = { utterance: '吊り橋' };
  expect((await client.recall({ ...MEMORY, body })).hits[0]?.unitId).toBe(unitId);
  expect((await client.explain({ ...MEMORY, body })).trace?.queries.length).toBeGreaterThan(0);
  expect((await client.pack({ ...MEMORY, body })).text).toContain('吊り橋');
  const trial = await client.tryRecall({ ...MEMORY, body: { ...body, embedder: 'words' } });
  expect(trial.recall?.hits[0]?.unitId).toBe(unitId);

  await manageTopics(server, unitIds);
  await talk(server);
  await manageUnits(server, unitId);
  await manageEntities(server, unitId);
  await manageJobs(server);
  await useNotes(server);
  await watchUse(server, unitId);
  await operate(server, model.url);

  const lines = await Array.fromAsync(client.exportMemory(MEMORY));
  const imported = await client.importMemory({ memoryId: 'copy', body: `${lines.join('\n')}\n` });
  expect(imported).toMatchObject({ problemCount: 0, added: (await client.readStats(MEMORY)).turns });
  expect((await client.createCheckpoint(MEMORY)).checkpoint?.turnId).toBeGreaterThan(0);
  expect((await client.listCheckpoints(MEMORY)).total).toBeGreaterThan(0);
  expect(await client.verifyMemory(MEMORY)).toMatchObject({ problems: [], checkpoints: 1 });
  const { turns: archived } = await client.archiveMemory(MEMORY);
  expect(archived).toBeGreaterThan(0);
  expect(await client.readArchive(MEMORY)).toMatchObject({ isPossible: true, archived, pending: 0 });
  expect(await client.verifyArchive(MEMORY)).toMatchObject({ archived, pending: 0, problems: [] });
  expect((await client.rebuildMemory(MEMORY)).unitsIndexed).toBeGreaterThan(0);

  expect((await client.readSettings()).budgets.packTokens).toBe(1_500);
  expect((await client.changeSettings({ body: { budgets: { packTokens: 900 } } })).budgets.packTokens).toBe(
    900,
  );
  expect(await client.createEventTicket()).toMatchObject({ expiresInS: 30 });
  expect(await client.health()).toMatchObject({ status: 'ok', models: { chat: true, vision: false } });
  expect(await client.metrics()).toContain('retrieval_strategy_usage_total{strategy="');
  expect((await client.openApi()).openapi).toBe('3.1.0');
  expect(await client.docs()).toContain('</html>');

  expect((await client.addSample({ memoryId: 'sample', body: { language: 'ja' } })).questions).not.toEqual(
    [],
  );
  const file = 'speaker,text\nuser,海を見た。\n';
  for (const dryRun of [true, false]) {
    const events = await Array.fromAsync(
      client.importFile({ memoryId: 'file', query: { name: 'sea.csv', dryRun }, body: file }),
    );
    expect(events.at(-1)?.event).toBe(dryRun ? 'found' : 'done');
  }

  const signedIn = server.clientOf(
    (await client.signIn({ body: { code: server.parts.signIn.createCode() } })).token,
  );
  for await (const { event } of signedIn.followChanges(MEMORY)) {
    if (event === 'changed') break;
    await client.ingestTurns({
      ...MEMORY,
      body: { turns: [{ conversationId: 'c3', speaker: 'user', text: 'また来年。' }] },
    });
  }
  await signedIn.signOut();
  await forget(server);

  expect([...server.answered].toSorted()).toEqual(Object.keys(ROUTES).toSorted());
});

test('the document is OpenAPI 3.1 and names every route', async () => {
  const response = await openTestServer().request('/openapi.json');
  const document = (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const named = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
    ),
  );
  expect(named.toSorted()).toEqual(
    TABLE.map(({ name, method, path }) => `${name} ${method} ${path}`).toSorted(),
  );
});

test('the document has no unresolved reference', async () => {
  const text = await (await openTestServer().request('/openapi.json')).text();
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  const referred = new Set(text.match(/(?<=#\/components\/schemas\/)\w+/g));
  expect(referred.size).toBeGreaterThan(20);
  expect([...referred].filter((name) => !(name in components.schemas))).toEqual([]);
  expect(text).not.toContain('#/$defs/');
});

test('every parameter has a description', async () => {
  const document = (await (await openTestServer().request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { parameters: { name: string; description?: string }[] }>>;
  };
  const parameters = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap((operation) => operation.parameters.map((one) => ({ path, ...one }))),
  );
  expect(parameters.length).toBeGreaterThan(50);
  expect(parameters.filter(({ description = '' }) => !/^[A-Z`].*[.…]$/.test(description))).toEqual([]);
});

test('accepts the examples of the documentation', () => {
  const examples = TABLE.filter(({ example }) => example !== undefined);
  expect(examples.length).toBeGreaterThan(15);
  const refused = examples.filter(({ body, example }) => body?.safeParse(example).success !== true);
  expect(refused.map(({ name }) => name)).toEqual([]);
});

test('the page loads nothing from elsewhere and has no script', async () => {
  const response = await openTestServer().request('/docs');
  const page = await response.text();
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bon\w+=|url\(|@import/);
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+';/,
  );
  for (const { name, path } of TABLE) {
    expect(page).toContain(`id="${name}"`);
    expect(page).toContain(`<code>${path}</code>`);
  }
  const links = page.match(/href="#[\w-]+"/g) ?? [];
  const missing = new Set(links.filter((link) => !page.includes(`id="${link.slice(7, -1)}"`)));
  expect([...missing]).toEqual([]);
});
