import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { WriteProbe } from './writeProbe.ts';

const FULL_DEVICE = '/dev/full';

// Only Linux has a device that is always full.
test.runIf(existsSync(FULL_DEVICE))(
  'reports a full disk as not writable, and checks again after a while',
  () => {
    const folder = temporaryFolder();
    let now = 0;
    symlinkSync(FULL_DEVICE, join(folder, `.write-probe-${process.pid}`));
    const probe = new WriteProbe(folder, () => now);
    expect(probe.isWritable()).toBe(false);
    now = 1_000;
    expect(probe.isWritable()).toBe(false);
    now = 6_000;
    expect(probe.isWritable()).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('reports a missing folder as not writable', () => {
  expect(new WriteProbe(join(temporaryFolder(), 'gone'), () => 0).isWritable()).toBe(false);
});
