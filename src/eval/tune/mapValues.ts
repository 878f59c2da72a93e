import { keysOf, recordOf } from '../../model/model.ts';

/** The same fields with other numbers. */
export function mapValues<Key extends string>(
  of: Readonly<Record<Key, number>>,
  change: (value: number) => number,
): Record<Key, number> {
  return recordOf(keysOf(of), (key) => change(of[key]));
}
