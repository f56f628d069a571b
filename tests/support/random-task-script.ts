/** Random lives of a task: what its stages do and what arrives meanwhile, as plain data that a failing test prints. */
import fc from 'fast-check';
import type { Json } from '../../src/domain/json.ts';

export interface RandomTaskScript {
  /** By stage, what each turn does; turns beyond end the stage. */
  readonly stages: Readonly<Record<string, readonly Turn[]>>;
  readonly elements: number;
  readonly actions: readonly Action[];
  readonly isSignalledAtStart: boolean;
  readonly historyEventsMax: number;
}

export interface Turn {
  /** Batches of progress; the numbers are what is sent as `seq`, so repeats and stale ones are among them. */
  readonly batches: readonly { readonly seq: number; readonly items: readonly Item[] }[];
  readonly isFailedFirst: boolean;
  readonly then: 'ask' | 'auth' | 'done' | 'pause';
}

export type Item =
  | { readonly text: string; readonly percent: number }
  | { readonly chunk: string; readonly artifact: string; readonly append: boolean };

export type Action =
  | { readonly do: 'say'; readonly ids: readonly string[] }
  | {
      readonly do: 'answer';
      readonly kind: 'free_text' | 'confirm';
      readonly by: 'caller' | 'operator';
      readonly twice: boolean;
    }
  | { readonly do: 'garbage'; readonly signal: 'message' | 'progress'; readonly value: Json }
  | {
      readonly do: 'stale';
      readonly stageId: string;
      readonly turn: number;
      readonly attempt: number;
      readonly seq: number;
    }
  | { readonly do: 'query' }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'cancel' };

/** IDs come from outside. */
const someId = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '1', '01', 'toString');

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ text: fc.string({ maxLength: 12 }), percent: fc.nat(100) }),
  fc.record({ chunk: fc.string({ maxLength: 12 }), artifact: someId, append: fc.boolean() }),
);

const turn = (then: readonly Turn['then'][]): fc.Arbitrary<Turn> =>
  fc.record({
    batches: fc.array(
      fc.record({ seq: fc.integer({ min: 1, max: 4 }), items: fc.array(item, { minLength: 1, maxLength: 3 }) }),
      { maxLength: 3 },
    ),
    isFailedFirst: fc.constantFrom(true, false, false, false, false),
    then: fc.constantFrom(...then),
  });

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('say' as const), ids: fc.array(someId, { minLength: 1, maxLength: 6 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      kind: fc.constantFrom('free_text' as const, 'confirm' as const),
      by: fc.constantFrom('caller' as const, 'operator' as const),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('garbage' as const),
      signal: fc.constantFrom('message' as const, 'progress' as const),
      value: fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('stale' as const),
      stageId: fc.constantFrom('talk', 'side', 'last', '__proto__', 'constructor'),
      turn: fc.nat(2),
      attempt: fc.integer({ min: 1, max: 2 }),
      seq: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'query' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pause' as const), ms: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
);

export const randomTaskScript: fc.Arbitrary<RandomTaskScript> = fc.record({
  stages: fc.record({
    talk: fc.array(turn(['ask', 'auth', 'done', 'pause']), { maxLength: 4 }),
    side: fc.array(turn(['ask', 'auth', 'done', 'pause']), { maxLength: 2 }),
    each: fc.array(turn(['ask', 'done', 'pause']), { maxLength: 1 }),
    last: fc.array(turn(['done', 'pause']), { maxLength: 1 }),
  }),
  elements: fc.nat(3),
  actions: fc.array(action, { minLength: 2, maxLength: 12 }),
  isSignalledAtStart: fc.boolean(),
  historyEventsMax: fc.constantFrom(15, 15, 40, 10_000),
});
