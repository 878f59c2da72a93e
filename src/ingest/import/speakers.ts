const USER = new Set([
  'user',
  'human',
  'you',
  'me',
  'ユーザー',
  'ユーザ',
  'あなた',
  '私',
  '用户',
  '用戶',
  '你',
  '我',
]);
const AI = new Set([
  'assistant',
  'ai',
  'bot',
  'gpt',
  'chatgpt',
  'model',
  'アシスタント',
  'ボット',
  '助手',
  '助理',
  '机器人',
  '機器人',
]);
const NOT_A_PERSON = new Set(['system', 'developer', 'tool', 'function', 'ipython']);

/** `user` or `ai` when the word means that in one of the three languages; any other name unchanged. */
export function speakerName(word: string): string {
  const name = word.trim();
  const folded = name.normalize('NFKC').toLowerCase();
  if (USER.has(folded)) return 'user';
  return AI.has(folded) ? 'ai' : name;
}

/** Whether a role of a chat protocol is not a speaker: instructions and the output of tools. */
export function isSilentRole(role: unknown): boolean {
  return typeof role === 'string' && NOT_A_PERSON.has(role.trim().toLowerCase());
}
