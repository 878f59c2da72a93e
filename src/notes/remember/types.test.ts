import { expect, test } from 'vitest';
import { inferType, placeFor } from './types.ts';

test.each([
  ['preference', 'I prefer dark mode'],
  ['preference', 'The user hates coriander.'],
  ['preference', 'My favourite editor is Helix'],
  ['preference', 'コーヒーはブラックが好き'],
  ['preference', '私は朝型より夜型派です'],
  ['preference', '我喜欢深色模式'],
  ['preference', '我不吃香菜'],
  ['instruction', 'Always reply in Japanese'],
  ['instruction', 'Please never push to main'],
  ['instruction', 'You should ask before deleting files'],
  ['instruction', '日本語で答えてください'],
  ['instruction', '勝手にコミットしないこと'],
  ['instruction', '请用中文回复'],
  ['instruction', '不要直接推送到主分支'],
  ['entity', 'Mia is my sister; she works at the museum'],
  ['entity', 'Leo’s dog is called Pochi'],
  ['entity', 'Mia loves tea, says her brother'],
  ['entity', '田中さんは経理の担当'],
  ['entity', '妹は猫が好き'],
  ['entity', '我妹妹喜欢画画'],
  ['entity', '小李的生日是三月五日'],
  ['decision', 'We decided to use SQLite'],
  ['decision', "We'll go with Hono for HTTP"],
  ['decision', 'DBはSQLiteに決めた'],
  ['decision', '我们决定采用 SQLite'],
  ['pattern', 'Builds usually fail after a dependency update'],
  ['pattern', 'リリース前はいつも残業になる'],
  ['pattern', '每次发布前测试都会失败'],
  ['task', 'TODO: renew the certificate'],
  ['task', "Don't forget to buy milk"],
  ['task', '牛乳を買わなきゃ'],
  ['task', '别忘了交报告'],
  ['note', 'The office has a new coffee machine'],
  ['note', '会議室は3階にある'],
  ['note', '打印机在二楼'],
])('is of type %s: %s', (type, text) => {
  expect(inferType(text)).toBe(type);
});

test('each type has its file, and the scope chooses the folder', () => {
  expect(placeFor('preference', undefined, 'I like tea')).toEqual({
    uri: 'user/preferences.md',
    beginning: '# Preferences\n',
  });
  expect(placeFor('decision', undefined, 'DBはSQLiteに決めた')).toEqual({
    uri: 'agent/decisions.md',
    beginning: '# 決定事項\n',
  });
  expect(placeFor('preference', 'project', '我喜欢深色模式')).toEqual({
    uri: 'agent/preferences.md',
    beginning: '---\ntype: preference\n---\n\n# 偏好\n',
  });
  expect(placeFor('note', undefined, 'I was born in Kobe').uri).toBe('user/notes.md');
  expect(placeFor('note', undefined, 'The office has a new printer').uri).toBe('agent/notes.md');
});
