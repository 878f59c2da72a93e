import { expect, test } from 'vitest';
import { prefixesFor, prefixesId } from './prefixes.ts';

test.each([
  ['intfloat/multilingual-e5-small', 'query: ', 'passage: '],
  ['Xenova/e5-base-v2', 'query: ', 'passage: '],
  ['nomic-embed-text:v1.5', 'search_query: ', 'search_document: '],
  ['BAAI/bge-small-zh-v1.5', '为这个句子生成表示以用于检索相关文章：', ''],
  ['bge-large-en-v1.5', 'Represent this sentence for searching relevant passages: ', ''],
  ['bge-m3', '', ''],
  ['snowflake-arctic-embed2', 'query: ', ''],
  ['Snowflake/snowflake-arctic-embed-l-v2.0', 'query: ', ''],
  ['snowflake-arctic-embed-s', 'Represent this sentence for searching relevant passages: ', ''],
  ['embeddinggemma:300m', 'task: search result | query: ', 'title: none | text: '],
  ['cl-nagoya/ruri-v3-30m', '検索クエリ: ', '検索文書: '],
  ['text-embedding-3-small', '', ''],
])('%s', (model, query, document) => {
  expect(prefixesFor(model, {})).toEqual({ query, document });
});

test('an instruct variant of e5 gets an instruction, unlike other e5 models', () => {
  const { query, document } = prefixesFor('intfloat/multilingual-e5-large-instruct', {});
  expect(query).toMatch(/^Instruct: .+\nQuery: $/);
  expect(document).toBe('');
});

test('user settings take priority, also when empty', () => {
  expect(prefixesFor('e5-small', { queryPrefix: '' })).toEqual({ query: '', document: 'passage: ' });
  expect(prefixesFor('e5-small', { documentPrefix: 'x' })).toEqual({ query: 'query: ', document: 'x' });
});

test('ids differ when prefixes differ', () => {
  const ids = [
    { query: '', document: '' },
    { query: 'a', document: '' },
    { query: '', document: 'a' },
    { query: 'a" document="b', document: '' },
    { query: 'a', document: 'b' },
  ].map(prefixesId);
  expect(new Set(ids).size).toBe(ids.length);
});
