/** Prefixes of texts that tell a model the purpose of an embedding. */
import type { EmbedPurpose } from './embedder.ts';

export type Prefixes = Readonly<Record<EmbedPurpose, string>>;

const NONE: Prefixes = { query: '', document: '' };
const SEARCH_INSTRUCTION =
  'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:';
const RETRIEVAL_SENTENCE = 'Represent this sentence for searching relevant passages: ';

/** From the models' own cards; the first match is used. Without its prefixes such a model is less accurate. */
const KNOWN: readonly (readonly [model: RegExp, query: string, document: string])[] = [
  [/e5-.*instruct/, `${SEARCH_INSTRUCTION} `, ''],
  [/\be5-(small|base|large)/, 'query: ', 'passage: '],
  [/nomic-embed-text/, 'search_query: ', 'search_document: '],
  [/bge-(small|base|large)-zh/, '为这个句子生成表示以用于检索相关文章：', ''],
  [/bge-(small|base|large)-en/, RETRIEVAL_SENTENCE, ''],
  [/mxbai-embed-large/, RETRIEVAL_SENTENCE, ''],
  [/arctic-embed(2|-[lm]-v2)/, 'query: ', ''],
  [/arctic-embed/, RETRIEVAL_SENTENCE, ''],
  [/embedding-?gemma/, 'task: search result | query: ', 'title: none | text: '],
  [/qwen3-embedding/, SEARCH_INSTRUCTION, ''],
  [/ruri-v3/, '検索クエリ: ', '検索文書: '],
];

/** The prefixes set by the user, else the known ones for a model of this name, else none. */
export function prefixesFor(
  modelName: string,
  chosen: { readonly queryPrefix?: string | undefined; readonly documentPrefix?: string | undefined },
): Prefixes {
  const name = modelName.toLowerCase();
  const known = KNOWN.find(([model]) => model.test(name));
  const usual: Prefixes = known === undefined ? NONE : { query: known[1], document: known[2] };
  return { query: chosen.queryPrefix ?? usual.query, document: chosen.documentPrefix ?? usual.document };
}

/** The part of an embedder's id for its prefixes; empty when there are none. */
export function prefixesId({ query, document }: Prefixes): string {
  return query + document === ''
    ? ''
    : ` query=${JSON.stringify(query)} document=${JSON.stringify(document)}`;
}
