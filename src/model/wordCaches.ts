/** Caches of this process that contain words of memories. They are emptied whenever something is forgotten. */

interface Cache {
  clear(): void;
}

/** Weak, so that the caches of a closed memory do not stay. */
const caches = new Set<WeakRef<Cache>>();
const collected = new FinalizationRegistry<WeakRef<Cache>>((reference) => caches.delete(reference));

/** Registers a cache whose keys or values are words, and returns it. */
export function wordCache<Registered extends Cache>(cache: Registered): Registered {
  const reference = new WeakRef<Cache>(cache);
  caches.add(reference);
  collected.register(cache, reference);
  return cache;
}

/** Call it when something was forgotten, in this process or in another. */
export function clearWordCaches(): void {
  for (const reference of caches) reference.deref()?.clear();
  // V8 keeps the text that any regular expression matched last.
  /^x/.exec('x');
}
