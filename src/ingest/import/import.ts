/** Imports conversations from the files of other programs. */
export { DATE_ORDERS, type DateOrder } from './chats/chats.ts';
export { detectFileFormat, readConversationFile, type ImportOptions } from './conversationFile.ts';
export { locomoSessions, longMemEvalSessions, type DatasetSession, type DatasetTurn } from './datasets.ts';
export { detectFormat, IMPORT_FORMATS, type ImportFormat } from './detect.ts';
export { readJsonArray } from './files.ts';
export type { ImportedTurn, ImportItem, ImportProblem, ImportRemark } from './intake.ts';
export { previewImport, type ImportPreview, type PreviewedFile } from './preview.ts';
export { parseSourceTime } from './times.ts';
