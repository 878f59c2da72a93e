import { expect, test } from 'vitest';
import { newUnitSchema } from '../../model/model.ts';
import { formatLearnt, type LearntUnit } from './learnt.ts';

test('derived data is written as lists', () => {
  const contents = [
    {
      kind: 'fact',
      payload: {
        subject: 'はな',
        predicate: 'lives_in',
        object: '札幌',
        validFrom: Date.parse('2026-01-01T00:00+09:00'),
      },
    },
    {
      kind: 'fact',
      payload: {
        subject: 'はな',
        predicate: 'lives_in',
        object: '東京',
        validFrom: null,
        validTo: Date.parse('2026-01-01T00:00+09:00'),
      },
    },
    { kind: 'loop', payload: { text: '给妈妈\n打电话', dueAt: Date.parse('2026-02-01T00:00+09:00') } },
    { kind: 'loop', payload: { text: 'Return the book', status: 'done' } },
    { kind: 'summary', payload: { scope: 'weekly', scopeKey: '2026-W01', text: 'A quiet week.' } },
  ];
  const units = contents.map((content, i) => {
    const unit = newUnitSchema.parse({ content });
    return { id: i, ...unit, ...unit.content } as unknown as LearntUnit;
  });
  const texts = formatLearnt(units, 'Asia/Tokyo');
  expect(texts).toEqual(
    new Map([
      [
        'learnt/facts.md',
        '# Facts\n\n## はな\n\n- lives_in: 札幌 (2026-01-01 –)\n- lives_in: 東京 (? – 2026-01-01)\n',
      ],
      ['learnt/loops.md', '# Open loops\n\n- [ ] 给妈妈\n  打电话 (due 2026-02-01)\n- [x] Return the book\n'],
      ['learnt/summaries.md', '# Summaries\n\n## weekly: 2026-W01\n\n- A quiet week.\n'],
    ]),
  );
});
