// The inner loops of training, as WebAssembly with SIMD: about six times as fast as in JavaScript. All matrices are
// row-major float32 in one memory; an address is in bytes; widths are multiples of 16.

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export interface Kernels {
  readonly memory: WebAssembly.Memory;
  /** out(width) = Σ table[id] over `count` row ids (uint32) at `ids`. */
  sumRows(table: number, ids: number, count: number, out: number, width: number): void;
  /** table[id] += from(width), for each of `count` row ids at `ids`. */
  addToRows(table: number, ids: number, count: number, from: number, width: number): void;
  /** C(m × n) = A(m × k) · B(n × k)ᵀ; n is a multiple of 4. */
  timesTransposed(a: number, b: number, c: number, m: number, n: number, k: number): void;
  /** C(m × k) = G(m × n) · B(n × k). */
  times(g: number, b: number, c: number, m: number, n: number, k: number): void;
  /** Adagrad on one row: s += g², p −= rate · g / (√s + ε), g = 0. */
  adagrad(row: number, gradient: number, squares: number, width: number, rate: number): void;
}

const MEMORY_PAGES = 40_000;

function sequence(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n');
}

/** A loop over `index` from 0 while below `limit` (both in WAT), in steps. */
function loop(index: string, limit: string, step: number, body: string): string {
  return `(local.set $${index} (i32.const 0))
    (block $end_${index} (loop $next_${index}
      (br_if $end_${index} (i32.ge_u (local.get $${index}) ${limit}))
      ${body}
      (local.set $${index} (i32.add (local.get $${index}) (i32.const ${step})))
      (br $next_${index})))`;
}

const get = (name: string): string => `(local.get $${name})`;
const add = (a: string, b: string): string => `(i32.add ${a} ${b})`;
const mul = (a: string, b: string): string => `(i32.mul ${a} ${b})`;
const floats = (count: string): string => `(i32.shl ${count} (i32.const 2))`;

/** out += row, or row += from, sixteen floats at a time, over a list of rows. */
function overRows(name: string, into: 'out' | 'row'): string {
  const target = into === 'out' ? 'other' : 'row';
  const source = into === 'out' ? 'row' : 'other';
  const four = sequence(
    4,
    (i) => `(v128.store offset=${i * 16} ${add(get(target), get('at'))}
      (f32x4.add (v128.load offset=${i * 16} ${add(get(target), get('at'))})
                 (v128.load offset=${i * 16} ${add(get(source), get('at'))})))`,
  );
  return `(func (export "${name}") (param $table i32) (param $ids i32) (param $count i32) (param $other i32) (param $width i32)
    (local $i i32) (local $at i32) (local $row i32) (local $bytes i32)
    (local.set $bytes ${floats(get('width'))})
    ${into === 'out' ? `(memory.fill ${get('other')} (i32.const 0) ${get('bytes')})` : ''}
    ${loop(
      'i',
      get('count'),
      1,
      `(local.set $row ${add(get('table'), mul(`(i32.load ${add(get('ids'), floats(get('i')))})`, get('bytes')))})
       ${loop('at', get('bytes'), 64, four)}`,
    )})`;
}

const TIMES_TRANSPOSED = `(func (export "timesTransposed")
  (param $a i32) (param $b i32) (param $c i32) (param $m i32) (param $n i32) (param $k i32)
  (local $i i32) (local $j i32) (local $t i32) (local $bytes i32) (local $rowA i32) (local $va v128)
  ${sequence(4, (i) => `(local $b${i} i32) (local $s${i} v128)`)}
  (local.set $bytes ${floats(get('k'))})
  ${loop(
    'i',
    get('m'),
    1,
    `(local.set $rowA ${add(get('a'), mul(get('i'), get('bytes')))})
     ${loop(
       'j',
       get('n'),
       4,
       `${sequence(
         4,
         (q) => `(local.set $b${q} ${add(get('b'), mul(add(get('j'), `(i32.const ${q})`), get('bytes')))})
          (local.set $s${q} (v128.const f32x4 0 0 0 0))`,
       )}
        ${loop(
          't',
          get('bytes'),
          16,
          `(local.set $va (v128.load ${add(get('rowA'), get('t'))}))
           ${sequence(
             4,
             (q) =>
               `(local.set $s${q} (f32x4.add ${get(`s${q}`)} (f32x4.mul ${get('va')} (v128.load ${add(get(`b${q}`), get('t'))}))))`,
           )}`,
        )}
        ${sequence(
          4,
          (q) => `(f32.store offset=${q * 4} ${add(get('c'), floats(add(mul(get('i'), get('n')), get('j'))))}
            (f32.add (f32.add (f32x4.extract_lane 0 ${get(`s${q}`)}) (f32x4.extract_lane 1 ${get(`s${q}`)}))
                     (f32.add (f32x4.extract_lane 2 ${get(`s${q}`)}) (f32x4.extract_lane 3 ${get(`s${q}`)}))))`,
        )}`,
     )}`,
  )})`;

const TIMES = `(func (export "times")
  (param $g i32) (param $b i32) (param $c i32) (param $m i32) (param $n i32) (param $k i32)
  (local $i i32) (local $j i32) (local $t i32) (local $bytes i32) (local $rowG i32) (local $at i32) (local $vg v128)
  ${sequence(4, (q) => `(local $s${q} v128)`)}
  (local.set $bytes ${floats(get('k'))})
  ${loop(
    'i',
    get('m'),
    1,
    `(local.set $rowG ${add(get('g'), floats(mul(get('i'), get('n'))))})
     ${loop(
       't',
       get('bytes'),
       64,
       `${sequence(4, (q) => `(local.set $s${q} (v128.const f32x4 0 0 0 0))`)}
        (local.set $at ${add(get('b'), get('t'))})
        ${loop(
          'j',
          get('n'),
          1,
          `(local.set $vg (v128.load32_splat ${add(get('rowG'), floats(get('j')))}))
           ${sequence(
             4,
             (q) =>
               `(local.set $s${q} (f32x4.add ${get(`s${q}`)} (f32x4.mul ${get('vg')} (v128.load offset=${q * 16} ${get('at')}))))`,
           )}
           (local.set $at ${add(get('at'), get('bytes'))})`,
        )}
        (local.set $at ${add(add(get('c'), mul(get('i'), get('bytes'))), get('t'))})
        ${sequence(4, (q) => `(v128.store offset=${q * 16} ${get('at')} ${get(`s${q}`)})`)}`,
     )}`,
  )})`;

const ADAGRAD = `(func (export "adagrad")
  (param $p i32) (param $g i32) (param $s i32) (param $width i32) (param $rate f32)
  (local $t i32) (local $vg v128) (local $vs v128) (local $vr v128)
  (local.set $vr (f32x4.splat ${get('rate')}))
  ${loop(
    't',
    floats(get('width')),
    16,
    `(local.set $vg (v128.load ${add(get('g'), get('t'))}))
     (local.set $vs (f32x4.add (v128.load ${add(get('s'), get('t'))}) (f32x4.mul ${get('vg')} ${get('vg')})))
     (v128.store ${add(get('s'), get('t'))} ${get('vs')})
     (v128.store ${add(get('p'), get('t'))} (f32x4.sub (v128.load ${add(get('p'), get('t'))})
       (f32x4.div (f32x4.mul ${get('vr')} ${get('vg')}) (f32x4.add (f32x4.sqrt ${get('vs')}) (v128.const f32x4 1e-10 1e-10 1e-10 1e-10)))))
     (v128.store ${add(get('g'), get('t'))} (v128.const f32x4 0 0 0 0))`,
  )})`;

/** @param modules the node_modules folder that holds `wabt`. */
export async function createKernels(modules: string): Promise<Kernels> {
  const wabt = await createRequire(join(resolve(modules), 'x.js'))('wabt')();
  const source = `(module (memory (export "memory") ${MEMORY_PAGES})
    ${overRows('sumRows', 'out')} ${overRows('addToRows', 'row')} ${TIMES_TRANSPOSED} ${TIMES} ${ADAGRAD})`;
  const parsed = wabt.parseWat('kernels.wat', source, { simd: true, bulk_memory: true });
  const { buffer } = parsed.toBinary({});
  const instance = new WebAssembly.Instance(new WebAssembly.Module(buffer));
  return instance.exports as unknown as Kernels;
}
