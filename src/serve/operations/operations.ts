/** The table of all operations. */
import { changeOperations } from './changes.ts';
import { companionOperations } from './companion.ts';
import { derivedOperations } from './derived.ts';
import { entityOperations } from './entities.ts';
import { fileOperations } from './files.ts';
import { forgettingOperations } from './forgetting.ts';
import { jobOperations } from './jobs.ts';
import { journalOperations } from './journal.ts';
import { memoryOperations } from './memories.ts';
import { openAiOperations } from './openai.ts';
import { recallOperations } from './recall.ts';
import { sensitiveOperations } from './sensitive.ts';
import { serverOperations } from './server.ts';
import { signInOperations } from './signIn.ts';
import { settingsOperations } from './settings.ts';
import { topicOperations } from './topics.ts';
import { unitOperations } from './units.ts';
import { upkeepOperations } from './upkeep.ts';
import { overviewOperations } from './overview.ts';
import { noteOperations } from './notes.ts';
import { tokenOperations } from './tokens.ts';
import { usageOperations } from './usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationName } from '../routes.ts';

const TABLE = {
  ...companionOperations,
  ...openAiOperations,
  ...memoryOperations,
  ...forgettingOperations,
  ...recallOperations,
  ...unitOperations,
  ...sensitiveOperations,
  ...entityOperations,
  ...topicOperations,
  ...journalOperations,
  ...derivedOperations,
  ...jobOperations,
  ...upkeepOperations,
  ...settingsOperations,
  ...serverOperations,
  ...signInOperations,
  ...fileOperations,
  ...changeOperations,
  ...usageOperations,
  ...tokenOperations,
  ...noteOperations,
  ...overviewOperations,
};

export type Operations = typeof TABLE;
export const OPERATIONS: Operations & Record<OperationName, Operation> = TABLE;
