/** Measures how exactly expressions of time are read; this part of an evaluation needs no memory. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { MemoryError, messageOf } from '../model/model.ts';
import { evaluateTimes, readDisputed, readTemporalCases, type TemporalScore } from './temporal.ts';

export interface TemporalReport {
  readonly name: string;
  readonly byLanguage: Readonly<Record<string, LanguageReport>>;
}

interface LanguageReport {
  readonly all: TemporalScore;
  /** Without the cases whose labels docs/temporal.md disputes; null when that list is not available. */
  readonly undisputed: TemporalScore | null;
}

const DISPUTED_LIST = new URL('../../docs/temporal.md', import.meta.url);

export function hasTemporalCases(names: readonly string[]): boolean {
  return names.some((name) => /^recognizers_\w+\.jsonl$/.test(name));
}

/**
 * @param failureCount how many failures of each language to keep
 * @throws MemoryError INVALID_INPUT when a file has the wrong format
 */
export function measureTemporal(directory: string, failureCount: number): TemporalReport {
  const disputed = existsSync(DISPUTED_LIST) ? readDisputed(readFileSync(DISPUTED_LIST, 'utf8')) : null;
  try {
    const languages = [...readTemporalCases(directory)].map(([language, cases]): [string, LanguageReport] => {
      const all = evaluateTimes(cases);
      const undisputed = disputed && evaluateTimes(cases, disputed);
      return [
        language,
        { all: shorten(all, failureCount), undisputed: undisputed && shorten(undisputed, failureCount) },
      ];
    });
    return { name: basename(resolve(directory)), byLanguage: Object.fromEntries(languages) };
  } catch (cause) {
    const reason = messageOf(cause);
    throw new MemoryError('INVALID_INPUT', `${directory} contains malformed cases: ${reason}`, { cause });
  }
}

function shorten(score: TemporalScore, failureCount: number): TemporalScore {
  return { ...score, failures: score.failures.slice(0, failureCount) };
}
