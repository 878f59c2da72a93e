/**
 * Work on tables that is written once for both stores: SQLite runs statements at once, PostgreSQL by promises. A function
 * that runs statements is a generator of Steps: it yields what a statement returned, a value or a promise, and continues
 * with the value. `perform` and `performNow` run it to its end.
 */
export type Steps<T> = Generator<unknown, T, unknown>;

/** The value, once it is there. */
export function* settled<T>(value: T | Promise<T>): Steps<T> {
  // What runs the steps sends the settled value back; the types of generators cannot say so.
  return (yield value) as T;
}

/** Runs steps that never wait. */
export function performNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) {
    if (step.value instanceof Promise) throw new TypeError('A synchronous store cannot wait for a promise.');
    step = steps.next(step.value);
  }
  return step.value;
}

/** Runs steps that may wait. An error of a statement is thrown where the statement was run. */
export async function perform<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    try {
      const value = await step.value;
      step = steps.next(value);
    } catch (error) {
      step = steps.throw(error);
    }
  }
  return step.value;
}
