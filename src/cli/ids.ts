import { InvalidArgumentError } from 'commander';

/** Parses the id of a topic, a unit or a journal entry from an argument; “#12” is also accepted. */
export function parseId(value: string): number {
  if (!/^#?[1-9]\d{0,15}$/.test(value)) throw new InvalidArgumentError('It must be a number such as 12.');
  return Number(value.replace('#', ''));
}
