import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ancestorsOf, findCycle, terminalStages, unknownNeeds } from '../../src/domain/pipeline-graph.ts';

const graph = (needs: Record<string, string[]>) => Object.entries(needs).map(([id, each]) => ({ id, needs: each }));

describe('ancestorsOf', () => {
  const stages = graph({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: ['d', 'ghost'] });

  it.each([
    ['a', []],
    ['b', ['a']],
    ['d', ['a', 'b', 'c']],
    ['e', ['a', 'b', 'c', 'd']],
    ['ghost', []],
  ])('finds what %s waits for', (id, expected) => {
    expect([...ancestorsOf(stages, id)].sort()).toEqual(expected);
  });

  it('ends on a circle, and leaves the stage itself out', () => {
    expect([...ancestorsOf(graph({ a: ['b'], b: ['a'] }), 'a')]).toEqual(['b']);
  });
});

describe('findCycle', () => {
  it.each([
    ['no stages', {}, undefined],
    ['a chain', { a: [], b: ['a'], c: ['b'] }, undefined],
    ['a diamond', { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }, undefined],
    ['a need that no stage is named', { a: ['ghost'] }, undefined],
    ['a stage that needs itself', { a: ['a'] }, ['a', 'a']],
    ['a circle behind a chain', { a: ['b'], b: ['c'], c: ['d'], d: ['b'] }, ['b', 'c', 'd', 'b']],
  ])('answers for %s', (_name, needs, expected) => {
    expect(findCycle(graph(needs))).toEqual(expected);
  });

  it('finds none in a graph whose needs all point backwards, however long', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => ({
      id: `s${index}`,
      needs: index === 0 ? [] : [`s${index - 1}`],
    })).reverse();
    expect(findCycle(chain)).toBeUndefined();
  });

  it('names a walk that really is one', () => {
    const graphs = fc.array(fc.array(fc.nat(7), { maxLength: 4 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(graphs, (needs) => {
        const stages = needs.map((each, id) => ({ id: String(id), needs: each.map(String) }));
        const cycle = findCycle(stages);
        if (cycle === undefined) {
          // Without a circle no stage is its own ancestor's ancestor.
          for (const { id } of stages) {
            for (const ancestor of ancestorsOf(stages, id)) expect(ancestorsOf(stages, ancestor)).not.toContain(id);
          }
          return;
        }
        expect(cycle.at(0)).toBe(cycle.at(-1));
        for (const [index, id] of cycle.slice(0, -1).entries()) {
          expect(stages.find((stage) => stage.id === id)?.needs).toContain(cycle[index + 1]);
        }
      }),
    );
  });
});

describe('terminalStages and unknownNeeds', () => {
  const stages = graph({ a: [], b: ['a'], c: ['a', 'ghost'] });

  it('lists stages that no other one needs', () => {
    expect(terminalStages(stages).map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it('says where an unknown need stands', () => {
    expect(unknownNeeds(stages)).toEqual([{ stage: 2, need: 1, name: 'ghost' }]);
  });
});
