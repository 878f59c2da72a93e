import { expect, test } from 'vitest';
import en from '../../console/src/words/en.ts';
import ja from '../../console/src/words/ja.ts';
import zh from '../../console/src/words/zh.ts';
import { CONVERSATION_PROFILE } from '../../src/recall/conversationProfile.ts';
import { DIRECT_FEATURES } from '../../src/recall/direct/direct.ts';
import { FEATURE_NAMES } from '../../src/recall/features.ts';

test.each([
  ['English', en],
  ['Japanese', ja],
  ['Chinese', zh],
])('the trace of a recall has a label for every feature in %s, and for no other', (_, words) => {
  const features = new Set([
    ...Object.keys(CONVERSATION_PROFILE.weights),
    ...FEATURE_NAMES,
    ...Object.values(DIRECT_FEATURES),
  ]);
  expect(new Set(Object.keys(words.trace.features))).toEqual(features);
});
