// Compiles src/llm/encoder/kernel.c into src/llm/encoder/kernelBytes.ts. Needs clang-16 and wasm-ld-16 (Debian: clang-16, lld-16).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
  '--target=wasm32',
  '-O3',
  '-msimd128',
  '-mrelaxed-simd',
  '-ffp-contract=off',
  '-nostdlib',
  '-fno-builtin',
  '-fuse-ld=/usr/bin/wasm-ld-16',
  '-Wl,--no-entry,--strip-all,-z,stack-size=16384',
];

const folder = new URL('../src/llm/encoder/', import.meta.url);
const source = readFileSync(new URL('kernel.c', folder));
const scratch = mkdtempSync(join(tmpdir(), 'kernel-'));
const compile = (...defines) => {
  const out = join(scratch, 'kernel.wasm');
  execFileSync('clang-16', [...FLAGS, ...defines, '-o', out, new URL('kernel.c', folder).pathname], {
    stdio: 'inherit',
  });
  return readFileSync(out).toString('base64');
};
const [plain, dot8] = [compile(), compile('-DDOT8')];
rmSync(scratch, { recursive: true });
const hash = createHash('sha256').update(source).digest('hex');
writeFileSync(
  new URL('kernelBytes.ts', folder),
  `/** SHA-256 of the \`kernel.c\` that the bytes below were compiled from. */
export const SOURCE_SHA256 = '${hash}';

/** \`kernel.c\`, compiled without and with DOT8; how is said there. */
export const KERNELS = {
  plain:
    '${plain}',
  dot8: '${dot8}',
};
`,
);
