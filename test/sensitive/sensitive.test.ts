/** Which personal data and secrets are found, by kind and language, and how turns that contain them are handled. */
import { describe, expect, test } from 'vitest';
import { openMemory, type MemoryOptions } from '../../src/engine/engine.ts';
import { SENSITIVE_KINDS } from '../../src/model/model.ts';
import { findSensitive } from '../../src/text/text.ts';
import { temporaryFolder } from '../temporary.ts';
import { CASES, type Case } from './cases.ts';
import {
  LANGUAGES,
  measure as measureSentences,
  PARTS,
  readSentences,
} from './conversations/conversations.ts';
import * as v from './values.ts';

const LEAST = 0.95;

function measure(cases: readonly Case[], kind: string) {
  let [right, wrong, missed] = [0, 0, 0];
  for (const { text, value, kind: expected } of cases) {
    const found = findSensitive(text).filter((span) => span.kind === kind);
    const isRight = found.some(({ from, to }) => expected === kind && text.slice(from, to) === value);
    if (isRight) right += 1;
    else if (expected === kind) missed += 1;
    wrong += found.length - Number(isRight);
  }
  return { precision: right / (right + wrong), recall: right / (right + missed) };
}

describe.each(LANGUAGES)('in %s', (language) => {
  const cases = CASES.filter((one) => one.language === language);

  test('there are as many near misses as values', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
    const misses = cases.filter(({ kind }) => kind === null).length;
    expect(misses / cases.length).toBeGreaterThanOrEqual(0.5);
  });

  test.each(SENSITIVE_KINDS)('%s', (kind) => {
    const { precision, recall } = measure(cases, kind);
    expect(precision).toBeGreaterThanOrEqual(LEAST);
    expect(recall).toBeGreaterThanOrEqual(LEAST);
  });
});

describe.each(LANGUAGES)('conversations in %s', (language) => {
  const sentences = readSentences(language);

  test('have near misses of every kind in half of the sentences of each part', () => {
    for (const name of PARTS)
      for (const kind of SENSITIVE_KINDS) {
        const part = sentences.filter((one) => one.part === name && one.kind === kind);
        expect(part.length).toBeGreaterThanOrEqual(name.startsWith('heldOutLa') ? 40 : 18);
        expect(part.filter(({ value }) => value === null)).toHaveLength(part.length / 2);
      }
  });

  test.each(SENSITIVE_KINDS)('%s', (kind) => {
    expect(measureSentences(sentences, kind).f1).toBeGreaterThanOrEqual(0.9);
  });
});

test('a number with one wrong digit is not found', () => {
  for (let i = 0; i < 50; i += 1) {
    const id = v.chineseId();
    const changed = `${id.slice(0, 16)}${(Number(id[16]) + 1) % 10}${id.slice(17)}`;
    expect(findSensitive(`身份证：${id}`)).toMatchObject([{ kind: 'nationalId' }]);
    expect(findSensitive(`身份证：${changed}`).filter(({ kind }) => kind === 'nationalId')).toEqual([]);
    const mine = v.myNumber();
    const other = mine.slice(0, 11) + ((Number(mine[11]) + 1) % 10);
    expect(findSensitive(`マイナンバーは${mine}`)).toMatchObject([{ kind: 'nationalId' }]);
    expect(findSensitive(`マイナンバーは${other}`).filter(({ kind }) => kind === 'nationalId')).toEqual([]);
    expect(findSensitive(`Card ${v.notCard()}`).filter(({ kind }) => kind === 'card')).toEqual([]);
  }
});

test.each([
  'password_hash = db.Column(db.String(128), nullable=False)',
  'Use generate_password_hash and check_password_hash(user.password, password).',
  '<input type="password" class="form-control" id="exampleInputPassword1">',
  'analogWrite(pwmPin, newPwmValue); pinMode(dirPin, INPUT_PULLUP);',
  '**Password Hashing**: use Argon2.',
])('names in program code and headings are not passwords: %s', (text) => {
  expect(findSensitive(text)).toEqual([]);
});

test('decimal numbers are not phone numbers, and a number with a word such as “via” is not an address', () => {
  expect(findSensitive('P(X = 10) = 0.1073741824, so 0.6777995264 in all')).toEqual([]);
  expect(findSensitive('Option 1 via Singapore is appealing.')).toEqual([]);
});

test('an address in the United Kingdom includes its whole postcode', () => {
  const text = 'Ship it to 48 Marlowe Road, Bristol BS6 5QT please.';
  expect(findSensitive(text)).toEqual([{ kind: 'address', from: 11, to: text.indexOf(' please') }]);
});

test('full-width digits count as digits', () => {
  expect(findSensitive('電話は０９０－１２３４－５６７８です。')).toEqual([
    { kind: 'phone', from: 3, to: 16 },
  ]);
});

const open = (sensitive?: MemoryOptions['sensitive']) =>
  openMemory({
    dataDir: temporaryFolder(),
    embedder: { provider: 'hashed' },
    worker: false,
    learn: false,
    ...(sensitive && { sensitive }),
  });
const turn = (text: string) => ({ conversationId: 'c', speaker: 'user', text });
const SECRET = 'The password of the bridge camera is Neko4711!';

test('a turn with a secret is recalled only on request, and can be corrected', async () => {
  const memory = await open();
  const { unitId } = await memory.add(turn(SECRET));
  await memory.add(turn('My e-mail is aoi@example.com, about the bridge camera.'));
  const idsOf = async (options = {}) =>
    (await memory.recall('bridge camera', options)).hits.map((hit) => hit.unitId);
  expect(await idsOf()).toEqual([2]);
  expect(await idsOf({ maxSensitivity: 'normal' })).toEqual([]);
  expect((await idsOf({ maxSensitivity: 'secret' })).toSorted()).toEqual([1, 2]);
  expect((await memory.pack('bridge camera password')).text).not.toContain('Neko4711');
  await memory.units.update({ unitId, set: { sensitivity: 'normal' } });
  expect((await idsOf()).toSorted()).toEqual([1, 2]);
  await memory.close();
});

test('a classification given by the caller is kept', async () => {
  const memory = await open();
  const { unitId } = await memory.add({ ...turn(SECRET), sensitivity: 'normal' });
  expect(await memory.units.get([unitId])).toMatchObject([{ sensitivity: 'normal' }]);
  await memory.close();
});

test('such turns can be rejected, without their text in the message, or not examined', async () => {
  const refusing = await open('refuse');
  const error = await refusing.add(turn(SECRET)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'SENSITIVE_TEXT',
    message: expect.not.stringContaining('Neko') as unknown,
  });
  const many = await refusing.add([turn(SECRET), turn('The weather was fine.')]);
  expect(many).toMatchObject({ added: 1, problems: [{ code: 'SENSITIVE_TEXT' }] });
  const blind = await open('off');
  const { unitId } = await blind.add(turn(SECRET));
  expect(await blind.units.get([unitId])).toMatchObject([{ sensitivity: 'normal' }]);
  await Promise.all([refusing.close(), blind.close()]);
});
