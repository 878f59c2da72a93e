import { describe, expect, test } from 'vitest';
import { hasEvidence, isHypothetical, isQuestion, isWorthKeeping, withoutPackText } from './guard.ts';

describe('repeated text of a pack', () => {
  test('is removed, and the text around it is kept', () => {
    const text = [
      'Hello!',
      '[STABLE_FACTS]',
      'What is known from earlier conversations.',
      '- user lives in Osaka',
      '',
      '[EPISODE_EVIDENCE]',
      'Quotations from earlier conversations that bear on this one.',
      '[2024-01-10] “We went to Nara”',
      'user: “We went to Nara.”',
      '→ Related: Nara',
      '',
      '[2024-02-10] “I like deer”',
      'user: “I like deer.”',
      '',
      'I moved to Kyoto.',
    ].join('\n');
    expect(withoutPackText(text)).toBe('Hello!\nI moved to Kyoto.');
  });

  test.each([
    '→ 関連: 奈良',
    'user｜住まい｜大阪\n'.replace('user', '- user').trim(),
    '［OPEN_LOOPS］\n- “报告”（截止2024-01-12）',
    '[PERSONA_ANCHOR]\nYou live in Osaka and love tea.',
  ])('%s', (text) => {
    expect(withoutPackText(text)).toBe('');
  });

  test.each(['[Verse] la la', 'a → b', '- milk\n- eggs', 'He said: “hi”', ''])(
    '“%s” is not from a pack',
    (text) => {
      expect(withoutPackText(text)).toBe(text);
    },
  );
});

describe('sentences without a statement', () => {
  test.each([
    'Do you live here?',
    'Where do you live',
    '東京に住んでいますか。',
    'どうしたのかな',
    '你住在这里吗',
    '要不要一起去',
  ])('%s is a question', (sentence) => {
    expect(isQuestion(sentence)).toBe(true);
  });

  test.each([
    'I live here.',
    'What I love is tea.',
    '東京に住んでいます。',
    '我住在这里。',
    'Is that so, I live here',
  ])('%s is a statement', (sentence) => {
    expect(isQuestion(sentence)).toBe(false);
  });

  test.each(['If I lived there', 'I might move', 'もし行けたら', '行くかもしれない', '如果我去', '可能会去'])(
    '%s is a supposition',
    (sentence) => {
      expect(isHypothetical(sentence)).toBe(true);
    },
  );

  test.each(['I live in Osaka.', '大阪に住んでいます。', '行かなければならない。', '我住在上海。'])(
    '%s is not a supposition',
    (sentence) => {
      expect(isHypothetical(sentence)).toBe(false);
    },
  );
});

describe('evidence', () => {
  test('is found in the text, ignoring marks, width and case', () => {
    expect(hasEvidence('I love “CATS”', 'Yes, i love cats!')).toBe(true);
    expect(hasEvidence('ｎｏｔｅｂｏｏｋ', 'My notebook')).toBe(true);
    expect(hasEvidence('猫が好き', '猫、が好き。')).toBe(true);
    expect(hasEvidence('I love dogs', 'I love cats')).toBe(false);
    expect(hasEvidence('', 'I love cats')).toBe(false);
    expect(hasEvidence('…', 'I love cats')).toBe(false);
  });

  test.each(['', '…', 'x'.repeat(61), '[EPISODE_EVIDENCE]', 'user｜likes｜tea', '{{episode}}'])(
    'rejects “%s”',
    (words) => {
      expect(isWorthKeeping(words, 60)).toBe(false);
    },
  );

  test('accepts other text', () => {
    expect(isWorthKeeping('猫', 60)).toBe(true);
  });
});
