/** Finds profiles by name: a shipped one, or one from a file. */
import { parseProfile, PROFILE_NAMES, type ProfileFile } from '../engine/engine.ts';
import { MemoryError } from '../model/model.ts';

/** The profile of this name in the form of a file. @throws MemoryError INVALID_INPUT when there is none */
export function findProfileFile(name: string, own: readonly ProfileFile[]): ProfileFile {
  const base = PROFILE_NAMES.find((shipped) => shipped === name);
  if (base) return { name: `${base} as shipped`, base, weights: {} };
  const file = own.find((each) => each.name === name);
  if (file) return file;
  const known = [...PROFILE_NAMES, ...own.map((each) => each.name)];
  throw new MemoryError('INVALID_INPUT', `There is no profile "${name}", only ${known.join(', ')}.`);
}

/** Every weight of a profile, including inherited ones. @throws MemoryError INVALID_INPUT */
export function weightsOf(file: ProfileFile): Readonly<Record<string, number>> {
  return parseProfile(file).weights;
}

/** For each feature, what is added to its weight in a memory ten times as large; empty when weights are constant. */
export function growthOf(file: ProfileFile): Readonly<Record<string, number>> {
  const profile = parseProfile(file);
  return 'growth' in profile ? profile.growth : {};
}
