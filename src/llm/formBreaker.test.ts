import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemoryError } from '../model/model.ts';
import { FormBreaker } from './formBreaker.ts';
import type { LanguageModel } from './languageModel.ts';

const HOUR_MS = 3_600_000;
const request = (purpose: string) => ({ purpose, name: 'facts', schema: z.object({}), messages: [] });
const misfit = () => new MemoryError('MODEL_FAILED', 'no reply of the form', { reason: 'schema' });

/** A model with replies set by the test, and a breaker with a test clock. */
function openRig() {
  const rig = { calls: 0, now: 0, answer: (): object => ({}) };
  const unused = () => {
    throw new Error('not asked');
  };
  const model: LanguageModel = {
    id: 'm',
    stream: unused,
    generateText: unused,
    forward: unused,
    async generateObject<S extends z.ZodType>() {
      rig.calls += 1;
      return { value: rig.answer() as z.output<S>, usage: { inputTokens: null, outputTokens: null } };
    },
  };
  const breaker = new FormBreaker(() => rig.now);
  const ask = (purpose = 'extract_facts') => breaker.guard(model).generateObject(request(purpose));
  return { rig, breaker, ask, model };
}

describe('a model whose replies are always invalid', () => {
  test('is asked three times, then not for an hour, then once more', async () => {
    const { rig, breaker, ask } = openRig();
    rig.answer = () => {
      throw misfit();
    };
    for (let n = 0; n < 100; n += 1)
      await expect(ask()).rejects.toMatchObject({ code: 'MODEL_FAILED', details: { reason: 'schema' } });
    expect(rig.calls).toBe(3);
    expect(breaker.outages).toEqual([
      { kind: 'extract_facts', since: 0, until: HOUR_MS, error: 'no reply of the form' },
    ]);
    rig.now = HOUR_MS;
    expect(breaker.outages).toEqual([]);
    for (let n = 0; n < 9; n += 1) await expect(ask()).rejects.toThrow(/form|down|not asked/);
    expect(rig.calls).toBe(4);
    expect(breaker.outages).toMatchObject([{ since: 0, until: 2 * HOUR_MS }]);
  });

  test('is still asked for other purposes', async () => {
    const { rig, ask } = openRig();
    rig.answer = () => {
      throw misfit();
    };
    for (let n = 0; n < 5; n += 1) await expect(ask('extract_facts')).rejects.toThrow(/form|down|not asked/);
    rig.answer = () => ({});
    await expect(ask('reflect')).resolves.toMatchObject({ value: {} });
  });
});

test('a valid reply, or another failure, does not count towards the limit', async () => {
  const { rig, breaker, ask } = openRig();
  for (let n = 0; n < 10; n += 1) {
    rig.answer = () => {
      throw n % 2 === 0 ? misfit() : new MemoryError('MODEL_FAILED', 'down', { reason: 'unreachable' });
    };
    await expect(ask()).rejects.toThrow(/form|down|not asked/);
    rig.answer = () => ({});
    await ask();
  }
  expect(rig.calls).toBe(20);
  expect(breaker.outages).toEqual([]);
});

test('guarding the same model twice returns the same object', () => {
  const { breaker, model } = openRig();
  expect(breaker.guard(model)).toBe(breaker.guard(model));
});
