/** Archives in a real S3 server that enforces object lock: Ceph's gateway, started here on loopback. */
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../cli/runCommand.ts';
import { temporaryFolder } from '../temporary.ts';
import { missingForCeph, startCeph, type TestBucketServer } from './ceph.ts';
import { losePointers, openArchived, pointers, SECRET, turns } from './rig.ts';

const missing = missingForCeph();
if (missing !== null && process.env['CI'] !== undefined) throw new Error(missing);
if (missing !== null) process.stderr.write(`The archive in a bucket is not tested: ${missing}.\n`);

let server: TestBucketServer;
let client: AwsClient;
let buckets = 0;

describe.skipIf(missing !== null)('a bucket with object lock', () => {
  beforeAll(async () => {
    server = await startCeph();
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = server.credentials;
    client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1', retries: 0 });
  }, 240_000);
  afterAll(() => server?.stop());

  const ask = (path: string, init: RequestInit = {}) => client.fetch(`${server.endpoint}/${path}`, init);

  /** A new bucket, and the settings of an archive in it. */
  async function makeBucket(query = '&days=30'): Promise<{ bucket: string; archive: string }> {
    for (const [name, value] of Object.entries(server.credentials)) vi.stubEnv(name, value);
    const bucket = `archive-${(buckets += 1)}`;
    const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
    expect((await ask(bucket, { method: 'PUT', headers })).status).toBe(200);
    return { bucket, archive: `s3://${bucket}/my memories?endpoint=${server.endpoint}${query}` };
  }

  const FIRST = 'my%20memories/default/00000001.jsonl';

  test('copies turns under a lock that nobody can lift, and verifies them', async () => {
    const { bucket, archive } = await makeBucket();
    const memory = await openArchived(temporaryFolder(), archive);
    await memory.add(turns(620));
    expect(await memory.admin.archive()).toEqual({ turns: 620, objects: 2 });
    const [pointer] = await pointers(memory);
    expect(pointer).toMatch(/^default\/00000001\.jsonl\?versionId=./);
    expect(await memory.admin.verifyArchive()).toEqual({
      archived: 620,
      pending: 0,
      objects: 2,
      unlocked: 0,
      problems: [],
    });
    const stored = await (await ask(`${bucket}/${FIRST}`)).text();
    for (const words of ['Zylophantus', '那須塩原', '"c1"']) expect(stored).not.toContain(words);

    const version = pointer?.split('versionId=')[1];
    const headers = { 'x-amz-bypass-governance-retention': 'true' };
    for (const init of [{ method: 'DELETE' }, { method: 'DELETE', headers }])
      expect((await ask(`${bucket}/${FIRST}?versionId=${version}`, init)).status).toBe(403);
    expect((await memory.admin.verifyArchive()).problems).toEqual([]);
  });

  test('reads the first version of an object that was hidden or replaced, also when restoring', async () => {
    const { bucket, archive } = await makeBucket();
    const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const memory = await openArchived(dataDir, archive);
    await memory.add(turns(5));
    await memory.admin.archive();
    const { chainHead } = await memory.admin.verify();
    expect((await ask(`${bucket}/${FIRST}`, { method: 'PUT', body: 'something else' })).status).toBe(200);
    expect((await ask(`${bucket}/${FIRST}`, { method: 'DELETE' })).status).toBe(204);
    expect((await memory.admin.verifyArchive()).problems).toEqual([]);
    await memory.close();

    const restored = join(elsewhere, 'restored');
    const flags = ['--archive', archive, '--data', restored, '--keys', dataDir];
    const { code, stdout } = await runCommand(
      'archive',
      'restore',
      ...flags,
      '--expect',
      chainHead,
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ turns: 5, chainHead, problems: [] });
    expect(code).toBe(0);
  });

  test('keeps the copy of a forgotten turn, which can no longer be decrypted', async () => {
    const { bucket, archive } = await makeBucket();
    const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const memory = await openArchived(dataDir, archive);
    await memory.add([...turns(4), ...turns(3, 'c2')]);
    await memory.admin.archive();
    const before = await (await ask(`${bucket}/${FIRST}`)).text();
    await memory.forget({ conversation: 'c1' });
    await memory.admin.archive();
    const { chainHead } = await memory.admin.verify();
    await memory.close();
    expect(await (await ask(`${bucket}/${FIRST}`)).text()).toBe(before);

    const restored = join(elsewhere, 'restored');
    const flags = ['--archive', archive, '--data', restored, '--keys', dataDir];
    expect((await runCommand('archive', 'restore', ...flags)).code).toBe(0);
    const back = await openArchived(restored);
    const { conversations, admin } = back;
    expect(await admin.verify()).toMatchObject({ turns: 7, forgotten: 4, chainHead, problems: [] });
    const said = JSON.stringify(await Array.fromAsync(conversations.turns()));
    expect(said).not.toContain(`${SECRET} (c1)`);
    expect(said).toContain(`${SECRET} (c2)`);
  });

  test('finds again what a killed process wrote', async () => {
    const { archive } = await makeBucket();
    const dataDir = temporaryFolder();
    const memory = await openArchived(dataDir, archive);
    await memory.add(turns(6));
    await memory.admin.archive();
    await memory.close();
    losePointers(dataDir);
    const again = await openArchived(dataDir, archive);
    expect(await again.admin.archive()).toEqual({ turns: 6, objects: 0 });
    expect((await again.admin.verifyArchive()).problems).toEqual([]);
  });

  test('verify reports that objects without a lock can be deleted; a wrong key and a missing bucket give clear errors', async () => {
    const { bucket, archive } = await makeBucket('');
    const dataDir = temporaryFolder();
    const memory = await openArchived(dataDir, archive);
    await memory.add(turns(3));
    await memory.admin.archive();
    expect(await memory.admin.verifyArchive()).toMatchObject({ unlocked: 1, problems: [] });
    await memory.add(turns(3, 'c2'));
    const nowhere = await openArchived(dataDir, archive.replace(bucket, 'no-such-bucket'));
    await expect(nowhere.admin.archive()).rejects.toThrow(/NoSuchBucket|404/);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    const stranger = await openArchived(dataDir, archive);
    await expect(stranger.admin.archive()).rejects.toThrow(/403/);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.credentials.AWS_SECRET_ACCESS_KEY);
    expect(await memory.admin.archive()).toEqual({ turns: 3, objects: 1 });
  });
});
