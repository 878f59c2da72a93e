import { InvalidArgumentError } from 'commander';

/** The number of a topic, a unit, an entry of the journal, as an argument; “#12” as well. */
export function parseId(value: string): number {
  if (!/^#?[1-9]\d{0,15}$/.test(value)) throw new InvalidArgumentError('It must be a number such as 12.');
  return Number(value.replace('#', ''));
}
