/** How the files of each format are read. */
import { MemoryError } from '../../model/model.ts';
import { readCharacterAi } from './characterai.ts';
import { readChatGptConversation } from './chatgpt.ts';
import { readChat, type ChatFormName, type DateOrder } from './chats/chats.ts';
import { readClaudeConversation } from './claude.ts';
import { readLocomoSample, readLongMemEvalQuestion } from './datasets.ts';
import { csvDelimiter, isJsonLines, type ImportFormat } from './detect.ts';
import { readDiscordChannel } from './discord.ts';
import { ofObjects, readElements, readLines, readRows } from './files.ts';
import { GeminiReader } from './gemini.ts';
import type { ImportItem, Intake } from './intake.ts';
import { readLibreChat } from './librechat.ts';
import { readMbox } from './mail.ts';
import { readMessage } from './messages.ts';
import { readMessengerThread } from './messenger.ts';
import { readOmoideLine } from './omoide.ts';
import { readOpenAi } from './openai.ts';
import { readOpenWebUiChat } from './openwebui.ts';
import { ReplikaReader } from './replika.ts';
import { readSillyTavernLine } from './sillytavern.ts';
import { readSlackNames, slackReader } from './slack.ts';
import type { Source, SourceFile } from './source/source.ts';
import { readTelegramExport } from './telegram.ts';
import { readWeChatRow } from './wechatTable.ts';

export interface FileInput {
  readonly file: SourceFile;
  /** The beginning of the file. */
  readonly head: string;
  /** The folder or archive that contains the file. */
  readonly source: Source;
  readonly intake: Intake;
  readonly dateOrder: DateOrder | undefined;
}

type ReadFile = (input: FileInput) => AsyncGenerator<ImportItem>;

export const READERS: Record<ImportFormat, ReadFile> = {
  omoide: ({ file, intake }) => readLines(file, intake, ofObjects(readOmoideLine)),
  'messages-jsonl': ({ file, intake }) => readLines(file, intake, ofObjects(readMessage)),
  'messages-csv': ({ file, head, intake }) =>
    readRows(file, { delimiter: requireDelimiter(head, file.path), intake, read: readMessage }),
  openai: ({ file, head, intake }) =>
    isJsonLines(head) ? readLines(file, intake, readOpenAi) : elements('item', readOpenAi)({ file, intake }),
  chatgpt: elements('conversation', ofObjects(readChatGptConversation)),
  claude: elements('conversation', ofObjects(readClaudeConversation)),
  gemini: readGemini,
  openwebui: elements('conversation', ofObjects(readOpenWebUiChat)),
  librechat: elements('conversation', ofObjects(readLibreChat)),
  sillytavern: ({ file, intake }) => readLines(file, intake, ofObjects(readSillyTavernLine)),
  characterai: elements('chat', ofObjects(readCharacterAi)),
  replika: readReplika,
  telegram: elements('export', ofObjects(readTelegramExport)),
  discord: elements('channel', ofObjects(readDiscordChannel)),
  slack: readSlack,
  messenger: elements('chat', ofObjects(readMessengerThread)),
  line: chat('line'),
  whatsapp: chat('whatsapp'),
  signal: chat('signal'),
  imessage: chat('imessage'),
  wechat: readWeChat,
  mbox: ({ file, intake }) => readMbox(file, intake),
  locomo: elements('sample', ofObjects(readLocomoSample)),
  longmemeval: elements('question', ofObjects(readLongMemEvalQuestion)),
};

function elements(noun: string, read: Parameters<typeof readElements>[3]) {
  return ({ file, intake }: Pick<FileInput, 'file' | 'intake'>) => readElements(file, noun, intake, read);
}

function chat(form: ChatFormName): ReadFile {
  return ({ file, intake, dateOrder }) => readChat(file, intake, { form, dateOrder });
}

async function* readGemini({ file, intake }: FileInput): AsyncGenerator<ImportItem> {
  const reader = new GeminiReader(intake);
  yield* readElements(file, 'activity', intake, (value, at) => reader.read(value, at));
  yield* reader.end();
}

async function* readReplika({ file, intake }: FileInput): AsyncGenerator<ImportItem> {
  const reader = new ReplikaReader(intake);
  yield* readRows(file, { delimiter: ',', intake, read: (row, at) => reader.read(row, at) });
  yield* reader.end();
}

async function* readSlack({ file, source, intake }: FileInput): AsyncGenerator<ImportItem> {
  const names = await readSlackNames(file, source);
  yield* readElements(file, 'message', intake, ofObjects(slackReader(file, names)));
}

async function* readWeChat(input: FileInput): AsyncGenerator<ImportItem> {
  const { file, head, intake } = input;
  if (/^[^\n]*StrContent/.test(head)) yield* readRows(file, { delimiter: ',', intake, read: readWeChatRow });
  else yield* chat('wechat')(input);
}

function requireDelimiter(head: string, path: string): string {
  const delimiter = csvDelimiter(head);
  if (delimiter !== null) return delimiter;
  const needed = 'the first line must name a column for the speaker and one for the text';
  throw new MemoryError('UNKNOWN_FORMAT', `${path} cannot be imported as CSV: ${needed}.`);
}
