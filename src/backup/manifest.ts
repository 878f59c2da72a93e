import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MemoryError } from '../model/model.ts';

export const MANIFEST = 'manifest.json';

const fileSchema = z.object({
  /** Path within the backup, with slashes; it cannot lead out of it. */
  path: z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\0]+$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const memorySchema = z.object({
  memoryId: z.string(),
  turns: z.int().min(0),
  /** The last chain hash, hex; empty without turns. */
  chainHead: z.string(),
});
const masterKeySchema = z.object({
  /** Identifies the key, without which the backup cannot be read; null when it was not at hand. */
  id: z.string().nullable(),
  /** Whether the backup contains it: then whoever has the backup can read everything. */
  isIncluded: z.boolean(),
  /** Where it was. */
  place: z.string(),
});
const manifestSchema = z.object({
  omoide: z.literal('backup'),
  version: z.literal(1),
  /** ISO 8601. */
  madeAt: z.string(),
  memories: z.array(memorySchema),
  /** Null when nothing is encrypted; missing in backups of earlier versions. */
  masterKey: masterKeySchema.nullable().optional(),
  files: z.array(fileSchema),
});
export type BackupManifest = z.infer<typeof manifestSchema>;
export type BackupMasterKey = z.infer<typeof masterKeySchema>;
export type BackupMemory = z.infer<typeof memorySchema>;
export type ManifestFile = z.infer<typeof fileSchema>;

/** The entry of a file in the manifest. */
export async function describeFile(folder: string, path: string): Promise<ManifestFile> {
  const hash = createHash('sha256');
  const bytes: AsyncIterable<Buffer> = createReadStream(join(folder, path));
  for await (const chunk of bytes) hash.update(chunk);
  return { path, bytes: statSync(join(folder, path)).size, sha256: hash.digest('hex') };
}

/** @throws MemoryError FILE_UNREADABLE */
export function readManifest(folder: string): BackupManifest {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')));
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `${folder} contains no readable ${MANIFEST} of a backup.`, {
      cause,
    });
  }
}

/** The differences between a folder and its manifest, one sentence each. */
export async function checkManifest(folder: string): Promise<string[]> {
  const problems: string[] = [];
  for (const expected of readManifest(folder).files) {
    if (!statSync(join(folder, expected.path), { throwIfNoEntry: false })?.isFile()) {
      problems.push(`${expected.path} is missing.`);
      continue;
    }
    const { sha256 } = await describeFile(folder, expected.path);
    if (sha256 !== expected.sha256) problems.push(`${expected.path} is damaged: its hash differs.`);
  }
  return [...problems, ...unlisted(folder)];
}

function unlisted(folder: string): string[] {
  const listed = new Set([MANIFEST, ...readManifest(folder).files.map(({ path }) => path)]);
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => !listed.has(path))
    .map((path) => `${path} is not in its manifest.`);
}
