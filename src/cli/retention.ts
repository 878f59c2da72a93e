import type { MemoryOptions } from '../engine/engine.ts';
import type { Config } from './configuration/configuration.ts';

/** The age limits of a configuration. */
export function retentionOf({
  retainTurnsDays: turnsDays,
  retainJournalDays: journalDays,
  retainVersionsDays: versionsDays,
}: Pick<Config, 'retainTurnsDays' | 'retainJournalDays' | 'retainVersionsDays'>): NonNullable<
  MemoryOptions['retention']
> {
  return {
    ...(turnsDays !== undefined && { turnsDays }),
    ...(journalDays !== undefined && { journalDays }),
    ...(versionsDays !== undefined && { versionsDays }),
  };
}
