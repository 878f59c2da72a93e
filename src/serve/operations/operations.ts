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

export type Operations = typeof companionOperations &
  typeof openAiOperations &
  typeof memoryOperations &
  typeof forgettingOperations &
  typeof recallOperations &
  typeof unitOperations &
  typeof entityOperations &
  typeof topicOperations &
  typeof journalOperations &
  typeof derivedOperations &
  typeof jobOperations &
  typeof upkeepOperations &
  typeof settingsOperations &
  typeof serverOperations &
  typeof signInOperations &
  typeof fileOperations &
  typeof changeOperations &
  typeof noteOperations &
  typeof tokenOperations &
  typeof usageOperations &
  typeof overviewOperations;

export const OPERATIONS: Operations & Record<OperationName, Operation> = {
  ...companionOperations,
  ...openAiOperations,
  ...memoryOperations,
  ...forgettingOperations,
  ...recallOperations,
  ...unitOperations,
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
