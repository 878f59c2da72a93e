import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readReply, replyForm } from './structured.ts';

const form = replyForm('fact', z.object({ who: z.string().min(1), age: z.int() }));
const fact = { who: '田中', age: 30 };
const json = JSON.stringify(fact);

describe('a value is parsed', () => {
  test.each([
    ['alone', json],
    ['in a code fence', `\`\`\`json\n${json}\n\`\`\``],
    ['among words', `Sure! Here it is:\n\n${json}\n\nAnything else?`],
    ['in a code fence among words', `Here {as you wished}:\n\`\`\`\n${json}\n\`\`\`\nDone.`],
    ['after reasoning', `<think>{"who": "?"} is not enough</think>\n${json}`],
    ['after reasoning, in a code fence', `<think>…\n\`\`\`json\n{}\n\`\`\`</think>\`\`\`json\n${json}\`\`\``],
  ])('%s', (_where, reply) => {
    expect(readReply(reply, form)).toEqual({ value: fact });
  });

  test('as a list', () => {
    const list = replyForm('numbers', z.array(z.number()));
    expect(readReply('The numbers: [1, 2, 3].', list)).toEqual({ value: [1, 2, 3] });
  });

  test('with the schema’s transformations', () => {
    const dated = replyForm(
      'dated',
      z.object({ day: z.string().transform((day) => Number(day)), by: z.string().default('me') }),
    );
    expect(readReply('{"day":"12"}', dated)).toEqual({ value: { day: 12, by: 'me' } });
  });
});

describe('a problem is reported', () => {
  test('when the text is not JSON', () => {
    expect(readReply('I would rather not.', form).problem).toMatch(/no valid JSON/);
    expect(readReply('{"who": "田中", "age": 3', form).problem).toMatch(/no valid JSON/);
    expect(readReply('', form).problem).toMatch(/no valid JSON/);
  });

  test('with the path of the invalid place', () => {
    expect(readReply('{"who":"","age":"old"}', form).problem).toMatch(/who[\s\S]*age|age[\s\S]*who/);
  });
});

describe('the schema that is sent to servers', () => {
  test('uses the keywords that servers share, and keeps names of properties', () => {
    const { jsonSchema, isStrict } = replyForm(
      'all',
      z.object({
        pattern: z.string().regex(/^a/).max(3),
        default: z.int(),
        share: z.number().min(0).max(1),
        kind: z.discriminatedUnion('is', [
          z.object({ is: z.literal('a') }),
          z.object({ is: z.literal('b'), format: z.enum(['minLength', 'x']).nullable() }),
        ]),
      }),
    );
    expect(jsonSchema).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['pattern', 'default', 'share', 'kind'],
      properties: {
        pattern: { type: 'string' },
        default: { type: 'integer' },
        share: { type: 'number', minimum: 0, maximum: 1 },
        kind: {
          anyOf: [
            {
              type: 'object',
              additionalProperties: false,
              required: ['is'],
              properties: { is: { type: 'string', const: 'a' } },
            },
            {
              type: 'object',
              additionalProperties: false,
              required: ['is', 'format'],
              properties: {
                is: { type: 'string', const: 'b' },
                format: { anyOf: [{ type: 'string', enum: ['minLength', 'x'] }, { type: 'null' }] },
              },
            },
          ],
        },
      },
    });
    expect(isStrict).toBe(true);
  });

  test.each([
    ['optional fields', z.object({ a: z.string().optional() })],
    ['nested optional fields', z.object({ a: z.array(z.object({ b: z.string().default('') })) })],
    ['unknown field names', z.object({ a: z.record(z.string(), z.number()) })],
    ['a tuple', z.object({ a: z.tuple([z.string(), z.number()]) })],
  ])('is not strict with %s', (_what, schema) => {
    expect(replyForm('loose', schema).isStrict).toBe(false);
  });
});
