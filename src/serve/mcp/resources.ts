/** Resources that a client can show or attach: the note files, and the memory's part of a prompt. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { toProblem } from '../problem.ts';
import type { McpAccess } from './access.ts';
import { requireNotes } from '../../engine/engine.ts';
import { noteAsResource } from './tools/tools.ts';

const MARKDOWN = 'text/markdown';

export function addResources(server: McpServer, access: McpAccess): void {
  const { memory } = access;
  const { notes } = memory;
  server.registerResource(
    'note',
    new ResourceTemplate('omoide://notes/{+uri}', {
      list: async () => ({
        resources: ((await notes?.list()) ?? []).map(({ uri }) => ({
          uri: addressOf(uri),
          name: uri,
          mimeType: MARKDOWN,
        })),
      }),
      complete: {
        uri: async (begun) => {
          const files = (await notes?.list()) ?? [];
          return files.map(({ uri }) => uri).filter((uri) => uri.startsWith(begun));
        },
      },
    }),
    { description: 'A Markdown file of the memory.', mimeType: MARKDOWN },
    (address, variables) =>
      read(access, address, () => noteAsResource(requireNotes(access), decode(variables['uri']))),
  );
  server.registerResource(
    'pack',
    new ResourceTemplate('omoide://pack/{utterance}', { list: undefined }),
    { description: 'The memory’s part of a prompt for an utterance.', mimeType: MARKDOWN },
    (address, variables) =>
      read(access, address, async () => (await memory.pack(decode(variables['utterance']))).text),
  );
}

/** `user/好み.md` → `omoide://notes/user/%E5%A5%BD%E3%81%BF.md` */
function addressOf(uri: string): string {
  return `omoide://notes/${uri.split('/').map(encodeURIComponent).join('/')}`;
}

/** @throws ProtocolError for an invalid part of an address */
function decode(variable: string | string[] | undefined): string {
  try {
    return decodeURIComponent([variable ?? ''].flat().join('/'));
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The address is not correctly encoded.');
  }
}

/** Converts errors to those of the protocol, since a resource cannot report others. */
async function read(
  { log }: McpAccess,
  address: URL,
  textOf: () => Promise<string>,
): Promise<ReadResourceResult> {
  try {
    return { contents: [{ uri: address.href, mimeType: MARKDOWN, text: await textOf() }] };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { code, message, status } = toProblem(error);
    if (code === 'NOT_FOUND') throw new ResourceNotFoundError(address.href);
    if (status >= 500) log(`${address.protocol}//${address.host}: ${code}: ${String(error)}`, 'error');
    const kind = status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(kind, `${code}: ${message}`);
  }
}
