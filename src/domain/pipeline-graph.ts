/** The graph that the stages' `needs` make. Pure questions about it; what a broken one means is its reader's affair. */

interface Node {
  readonly id: string;
  readonly needs: readonly string[];
}

/** Stages that a stage waits for, near and far, without itself; needs that no stage is named are left out. */
export function ancestorsOf(stages: readonly Node[], id: string): ReadonlySet<string> {
  const needsById = new Map(stages.map((stage) => [stage.id, stage.needs]));
  const ancestors = new Set<string>();
  const open = [...(needsById.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const needs = needsById.get(next);
    if (needs === undefined || ancestors.has(next) || next === id) continue;
    ancestors.add(next);
    open.push(...needs);
  }
  return ancestors;
}

/** Stages that no other one needs, in their order. */
export function terminalStages<Stage extends Node>(stages: readonly Stage[]): readonly Stage[] {
  const needed = new Set(stages.flatMap(({ needs }) => needs));
  return stages.filter(({ id }) => !needed.has(id));
}

/** Needs that no stage is named: the stage's place, the place in its `needs`, and the name. */
export function unknownNeeds(
  stages: readonly Node[],
): readonly { readonly stage: number; readonly need: number; readonly name: string }[] {
  const known = new Set(stages.map(({ id }) => id));
  return stages.flatMap(({ needs }, stage) =>
    needs.flatMap((name, need) => (known.has(name) ? [] : [{ stage, need, name }])),
  );
}

/** The first circle of needs, as a walk that ends where it began (`[a, b, a]`); undefined when there is none. */
export function findCycle(stages: readonly Node[]): readonly string[] | undefined {
  const needsById = new Map(stages.map((stage) => [stage.id, stage.needs]));
  const done = new Set<string>();
  for (const { id: start } of stages) {
    // An own stack: a chain of thousands of stages must not be a chain of thousands of calls.
    const walk: { id: string; next: number }[] = done.has(start) ? [] : [{ id: start, next: 0 }];
    const onWalk = new Set<string>([start]);
    for (let here = walk.at(-1); here !== undefined; here = walk.at(-1)) {
      const need = needsById.get(here.id)?.[here.next];
      here.next += 1;
      if (need === undefined) {
        walk.pop();
        onWalk.delete(here.id);
        done.add(here.id);
      } else if (onWalk.has(need)) {
        const ids = walk.map(({ id }) => id);
        return [...ids.slice(ids.indexOf(need)), need];
      } else if (!done.has(need) && needsById.has(need)) {
        walk.push({ id: need, next: 0 });
        onWalk.add(need);
      }
    }
  }
  return undefined;
}
