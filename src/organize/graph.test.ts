import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanOperation } from '../model/model.ts';
import { TopicGraph } from './graph.ts';

const reason = 'test';

test('a split adds topics below, a merge passes on parents and children, another parent is added', () => {
  const graph = new TopicGraph([
    { id: 1, parentIds: [] },
    { id: 2, parentIds: [1] },
    { id: 3, parentIds: [2] },
    { id: 4, parentIds: [] },
  ]);
  const part = { title: 'a', summary: null, unitIds: [1] };
  graph.apply({ type: 'split', topicId: 4, into: [part, part], reason }, 0);
  expect([...graph.childrenOf(4)]).toEqual(['0/0', '0/1']);
  graph.apply({ type: 'merge', topicIds: [2], intoId: 4, rename: null, reason }, 1);
  expect([...graph.parentsOf(4)]).toEqual([1]);
  expect([...graph.parentsOf(3)]).toEqual([4]);
  expect([...graph.descendantsOf(1)].toSorted()).toEqual(['0/0', '0/1', 3, 4].toSorted());
  graph.apply({ type: 'parent', childIds: [3], parent: { title: 'b', summary: null }, reason }, 2);
  expect([...graph.parentsOf(3)]).toEqual([4, '2/0']);
  expect(graph.childrenOf(2).size).toBe(0);
});

test('a cycle is detected before it is closed, and only then', () => {
  const link = fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 }));
  fc.assert(
    fc.property(fc.array(link, { maxLength: 30 }), (links) => {
      const graph = new TopicGraph([]);
      for (const [child, parent] of links) {
        if (graph.wouldCircle(child, parent)) continue;
        const operation: PlanOperation = {
          type: 'parent',
          childIds: [child],
          parent: { topicId: parent },
          reason,
        };
        graph.apply(operation, 0);
        expect(graph.ancestorsOf(child).has(child)).toBe(false);
      }
      for (const [child, parent] of links)
        expect(graph.wouldCircle(child, parent)).toBe(
          child === parent || graph.descendantsOf(child).has(parent),
        );
    }),
  );
});
