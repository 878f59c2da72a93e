/** The same fields with other numbers. */
export function mapValues<Key extends string>(
  of: Readonly<Record<Key, number>>,
  change: (value: number) => number,
): Record<Key, number> {
  const entries = Object.entries<number>(of).map(([key, value]) => [key, change(value)] as const);
  return Object.fromEntries(entries) as Record<Key, number>;
}
