/** Profiles by name: a shipped one, or one of one's own. */
import { parseProfile, PROFILE_NAMES, type ProfileFile } from '../engine/engine.ts';
import { MemoryError } from '../model/model.ts';

/** What a profile of this name would be as a file. @throws MemoryError INVALID_INPUT when there is none */
export function findProfileFile(name: string, own: readonly ProfileFile[]): ProfileFile {
  const base = PROFILE_NAMES.find((shipped) => shipped === name);
  if (base) return { name: `${base} as shipped`, base, weights: {} };
  const file = own.find((each) => each.name === name);
  if (file) return file;
  const known = [...PROFILE_NAMES, ...own.map((each) => each.name)];
  throw new MemoryError('INVALID_INPUT', `There is no profile "${name}", only ${known.join(', ')}.`);
}

/** Every weight of a profile, also those that it has from its base. @throws MemoryError INVALID_INPUT */
export function weightsOf(file: ProfileFile): Readonly<Record<string, number>> {
  return parseProfile(file).weights;
}

/** By feature, what is added to its weight in a memory ten times as large; nothing where weights do not grow. */
export function growthOf(file: ProfileFile): Readonly<Record<string, number>> {
  const profile = parseProfile(file);
  return 'growth' in profile ? profile.growth : {};
}
