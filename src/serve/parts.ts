import type { Settings } from '../settings/settings.ts';
import type { Auth } from './auth.ts';
import type { ChangeFeed } from './changes.ts';
import type { EventHub } from './events.ts';
import type { Memories } from './memories.ts';
import type { Metrics } from './metrics.ts';
import type { ModelAccess } from './modelAccess.ts';
import type { Models } from './models.ts';
import type { StreamLimit } from './streamLimit.ts';
import type { StoreProbe } from './storeProbe.ts';
import type { WriteProbe } from './writeProbe.ts';
import type { SignIn } from './signIn.ts';

export interface ServerParts {
  readonly settings: Settings;
  readonly memories: Memories;
  readonly models: Models;
  readonly modelAccess: ModelAccess;
  readonly hub: EventHub;
  readonly streams: StreamLimit;
  readonly writeProbe: WriteProbe;
  readonly storeProbe: StoreProbe;
  readonly changes: ChangeFeed;
  readonly auth: Auth;
  readonly signIn: SignIn;
  readonly metrics: Metrics;
  /** The OpenAPI document and its page, each made on first request. */
  readonly documents: {
    readonly openApi: () => { readonly openapi: string };
    readonly docsPage: () => string;
  };
  readonly dataDir: string;
  readonly bodyLimitBytes: number;
  readonly version: string;
  /** Whether the worker runs in this process. */
  readonly worker: boolean;
  readonly isStopping: () => boolean;
  readonly now: () => number;
}
