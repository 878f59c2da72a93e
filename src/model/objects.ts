/** Typed forms of `Object.keys` and `Object.fromEntries`, for objects that have exactly the keys of their type. */

export function keysOf<Key extends string>(object: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(object) as Key[];
}

/** An object with a value for each key. */
export function recordOf<Key extends string, Value>(
  keys: readonly Key[],
  valueOf: (key: Key) => Value,
): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<Key, Value>;
}

type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * The fields that are not undefined. With `exactOptionalPropertyTypes` an absent field and an undefined one differ.
 */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The fields of these names that are not undefined. */
export function pickDefined<T extends object, Name extends keyof T>(
  fields: T,
  names: readonly Name[],
): Defined<Pick<T, Name>> {
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  ) as Defined<Pick<T, Name>>;
}
