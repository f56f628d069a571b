import { type ServerCallContext, ServerCallContext as Context } from '@a2a-js/sdk/server';
import type { Call } from '../call.ts';
import type { StreamFrame } from '../stream-frame.ts';

/** One call on its way through the SDK's code, which knows neither our calls nor our failures. */
export interface Passage {
  readonly call: Call;
  /** Told of each frame of a stream before the SDK gets its event, and of those without an event; the SDK gets it when this is through. */
  readonly onFrame?: (frame: StreamFrame) => Promise<void> | void;
  /** The SDK has understood the request, and an operation has it. */
  isEntered: boolean;
  /** What the operation threw; the SDK passes on less. */
  failure?: unknown;
}

export function legacyPassage(call: Call, onFrame?: Passage['onFrame']): Passage {
  return { call: { ...call, wireVersion: '0.3' }, ...(onFrame && { onFrame }), isEntered: false };
}

const KEY = 'longhaul.passage';

export function contextOf(passage: Passage): ServerCallContext {
  return new Context({
    user: { isAuthenticated: true, userName: passage.call.caller },
    requestedVersion: passage.call.wireVersion ?? '1.0',
    state: new Map([[KEY, passage]]),
  });
}

export function passageOf(context: ServerCallContext): Passage {
  const passage = context.state.get(KEY);
  if (passage === undefined) throw new Error('this context is not one of contextOf()');
  return passage as Passage;
}
