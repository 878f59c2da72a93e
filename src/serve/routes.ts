/**
 * The path of every operation and the kind of its answer: all that a client needs at run time. Inputs and outputs
 * are defined in `operations/`.
 */

/**
 * - `json`: one value. `nothing`: 204. `text`: a page or a document.
 * - `events`: server-sent events, until the server or the client ends them.
 * - `lines`: JSON Lines.
 * - `response`: the answer of the model's server, passed on unchanged.
 */
export type AnswerKind = 'json' | 'nothing' | 'text' | 'events' | 'lines' | 'response';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With `{parameters}`. */
  readonly path: string;
  readonly answers: AnswerKind;
  /** The type of the body if it is not JSON: JSON Lines, or any file. */
  readonly takes?: 'lines' | 'file';
  /** Uses POST only to send a body; it does not change the memory. */
  readonly isRead?: true;
}

const get = <Path extends string>(path: Path) => ({ method: 'GET', path, answers: 'json' }) as const;
const post = <Path extends string>(path: Path) => ({ method: 'POST', path, answers: 'json' }) as const;
const ask = <Path extends string>(path: Path) => ({ ...post(path), isRead: true }) as const;
const remove = <Path extends string>(path: Path) => ({ method: 'DELETE', path, answers: 'nothing' }) as const;
const put = <Path extends string>(path: Path) => ({ method: 'PUT', path, answers: 'json' }) as const;
const forget = <Path extends string>(path: Path) => ({ method: 'DELETE', path, answers: 'json' }) as const;
const patch = <Path extends string>(path: Path) => ({ method: 'PATCH', path, answers: 'json' }) as const;

const MEMORY = '/api/memories/{memoryId}';

export const ROUTES = {
  health: get('/api/health'),
  metrics: { ...get('/metrics'), answers: 'text' },
  openApi: get('/openapi.json'),
  docs: { ...get('/docs'), answers: 'text' },
  signIn: post('/api/sign-in'),
  signOut: { ...post('/api/sign-out'), answers: 'nothing' },

  chat: { ...post('/api/chat'), answers: 'events' },
  notify: { ...post('/api/v1/notification'), answers: 'nothing' },
  metaRequest: { ...post('/api/v1/meta_request'), answers: 'nothing' },
  streamEvents: { ...get('/api/events/stream'), answers: 'events' },
  createEventTicket: post('/api/events/ticket'),

  createChatCompletion: { ...post('/v1/chat/completions'), answers: 'response' },
  createResponse: { ...post('/v1/responses'), answers: 'response' },
  createEmbeddings: post('/v1/embeddings'),
  listModels: get('/v1/models'),

  readSettings: get('/api/settings'),
  changeSettings: patch('/api/settings'),
  testModel: ask('/api/settings/test'),
  listTokens: get('/api/tokens'),
  createToken: post('/api/tokens'),
  revokeToken: remove('/api/tokens/{tokenId}'),
  listAudit: get('/api/audit'),
  readModelUsage: get('/api/usage'),

  listMemories: get('/api/memories'),
  readStats: get(MEMORY),
  followChanges: { ...get(`${MEMORY}/changes`), answers: 'events' },
  ingestTurns: post(`${MEMORY}/turns`),
  listConversations: get(`${MEMORY}/conversations`),
  listTurns: get(`${MEMORY}/conversations/{conversationId}/turns`),

  listDays: get(`${MEMORY}/days`),
  readUsage: get(`${MEMORY}/usage`),

  forget: post(`${MEMORY}/forget`),
  forgetTurn: forget(`${MEMORY}/turns/{turnId}`),
  forgetUnit: forget(`${MEMORY}/units/{unitId}`),
  forgetConversation: forget(`${MEMORY}/conversations/{conversationId}`),

  recall: ask(`${MEMORY}/recall`),
  explain: ask(`${MEMORY}/explain`),
  autoRecall: ask(`${MEMORY}/auto-recall`),
  explore: ask(`${MEMORY}/explore`),
  pack: ask(`${MEMORY}/pack`),
  tryRecall: ask(`${MEMORY}/recall/trial`),

  listFeedback: get(`${MEMORY}/feedback`),
  giveFeedback: post(`${MEMORY}/feedback`),
  removeFeedback: remove(`${MEMORY}/feedback/{feedbackId}`),
  exportFeedback: { ...get(`${MEMORY}/feedback-set`), answers: 'lines' },

  listTopics: get(`${MEMORY}/topics`),
  readTopicMap: get(`${MEMORY}/topic-map`),
  readTopic: get(`${MEMORY}/topics/{topicId}`),
  changeTopic: patch(`${MEMORY}/topics/{topicId}`),
  listTopicEpisodes: get(`${MEMORY}/topics/{topicId}/episodes`),

  listUnits: get(`${MEMORY}/units`),
  createUnit: post(`${MEMORY}/units`),
  readUnit: get(`${MEMORY}/units/{unitId}`),
  changeUnit: patch(`${MEMORY}/units/{unitId}`),
  listUnitVersions: get(`${MEMORY}/units/{unitId}/versions`),
  listDerived: get(`${MEMORY}/units/{unitId}/derived`),
  restoreUnit: post(`${MEMORY}/units/{unitId}/restore`),
  archiveUnit: post(`${MEMORY}/units/{unitId}/archive`),
  readSensitivePolicy: get(`${MEMORY}/sensitive/policy`),
  changeSensitivePolicy: put(`${MEMORY}/sensitive/policy`),
  listSensitive: get(`${MEMORY}/sensitive`),
  readMasks: get(`${MEMORY}/units/{unitId}/masks`),
  maskUnit: put(`${MEMORY}/units/{unitId}/masks`),

  listEntities: get(`${MEMORY}/entities`),
  readEntity: get(`${MEMORY}/entities/{entityId}`),
  changeEntity: patch(`${MEMORY}/entities/{entityId}`),
  splitEntity: post(`${MEMORY}/entities/{entityId}/split`),
  readNeighbourhood: get(`${MEMORY}/entities/{entityId}/neighbourhood`),
  mergeEntity: post(`${MEMORY}/entities/{entityId}/merge`),

  listFacts: get(`${MEMORY}/facts`),
  readFactHistory: get(`${MEMORY}/facts/{unitId}/history`),
  listLoops: get(`${MEMORY}/loops`),
  changeLoop: post(`${MEMORY}/loops/{unitId}`),
  listSummaries: get(`${MEMORY}/summaries`),
  requestSummary: post(`${MEMORY}/summaries`),

  listJobs: get(`${MEMORY}/jobs`),
  retryJobs: post(`${MEMORY}/jobs/retry`),
  retryJob: post(`${MEMORY}/jobs/{jobId}/retry`),
  runJob: post(`${MEMORY}/jobs/{jobId}/run`),

  planReorganization: ask(`${MEMORY}/reorganizations/plan`),
  describeReorganization: ask(`${MEMORY}/reorganizations/describe`),
  reorganize: post(`${MEMORY}/reorganizations`),
  listJournal: get(`${MEMORY}/journal`),
  readJournalEntry: get(`${MEMORY}/journal/{entryId}`),
  rollback: post(`${MEMORY}/journal/{entryId}/rollback`),

  listNotes: get(`${MEMORY}/notes`),
  readNote: get(`${MEMORY}/notes/file`),
  writeNote: put(`${MEMORY}/notes/file`),

  exportMemory: { ...get(`${MEMORY}/export`), answers: 'lines' },
  importMemory: { ...post(`${MEMORY}/import`), takes: 'lines' },
  importFile: { ...post(`${MEMORY}/files`), answers: 'events', takes: 'file' },
  addSample: post(`${MEMORY}/sample`),
  verifyMemory: ask(`${MEMORY}/verify`),
  readArchive: get(`${MEMORY}/archive`),
  archiveMemory: post(`${MEMORY}/archive`),
  verifyArchive: ask(`${MEMORY}/archive/verify`),
  listCheckpoints: get(`${MEMORY}/checkpoints`),
  createCheckpoint: post(`${MEMORY}/checkpoints`),
  backUpMemory: post(`${MEMORY}/backups`),
  rebuildMemory: post(`${MEMORY}/rebuild`),
} as const satisfies Record<string, Route>;

export type OperationName = keyof typeof ROUTES;
export type PathOf<Name extends OperationName> = (typeof ROUTES)[Name]['path'];
export type AnswerKindOf<Name extends OperationName> = (typeof ROUTES)[Name]['answers'];
/** `{memoryId}/units/{unitId}` → `'memoryId' | 'unitId'` */
export type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;
