/** One deployment with a Temporal of its own, whose processes are killed at a named point of a task's life. */
import { Client } from '@temporalio/client';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { TASK_WORKFLOW_TYPE } from '../../workflows/task-contract.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { startOwnServer } from './environment.ts';
import { eventually } from './eventually.ts';
import { type Hold, startGrpcProxy } from './grpc-proxy.ts';
import type { KillPoint, Victim } from './kill-points.ts';
import { LIFE, liveTask, type SeenLife, type TaskLife } from './task-life.ts';
import { expectWholeLife } from './witness.ts';

export interface KillStand extends AsyncDisposable {
  readonly deployment: Deployment;
  /** Lives one task, kills these at the point and starts them again, and checks the task once it has ended. */
  strike(name: string, point: KillPoint, victims: readonly Victim[]): Promise<SeenLife>;
  /** How many task workflows there are. */
  tasks(): Promise<number>;
}

const REACH_MS = 45_000;

export async function startKillStand(): Promise<KillStand> {
  await using resources = new AsyncDisposableStack();
  const temporal = resources.use(await startOwnServer());
  // Temporal may come back at another port; behind a proxy it stays where it was.
  const proxies = {
    gateway: resources.use(await startGrpcProxy(() => temporal.address)),
    worker: resources.use(await startGrpcProxy(() => temporal.address)),
    witness: resources.use(await startGrpcProxy(() => temporal.address)),
  };
  const deployment = resources.use(
    await startDeployment({
      ...LIFE,
      temporal: {
        address: temporal.address,
        namespace: temporal.namespace,
        addressFor: (name) => proxies[name.startsWith('gateway') ? 'gateway' : 'worker'].address,
      },
      env: { LONGHAUL_HEARTBEAT_TIMEOUT_MS: '3000' },
    }),
  );
  const connection = await connectTemporal({ address: proxies.witness.address });
  resources.defer(() => connection.close());
  const client = new Client({ connection, namespace: temporal.namespace });

  const kill: Readonly<Record<Victim, () => Promise<void>>> = {
    gateway: () => deployment.kill('gateway0'),
    worker: () => deployment.kill('worker0'),
    temporal: async () => temporal.kill(),
  };

  const owned = resources.move();
  return {
    deployment,
    async strike(name, point, victims) {
      const holds = (point.held ?? []).map(({ of, ...call }) => proxies[of].hold(call));
      const life = liveTask(deployment, {
        name,
        gates: point.gate === undefined ? [] : [point.gate],
        mayAnswer: point.isUnanswered !== true,
      });
      try {
        await Promise.race([reach(deployment, life, point, holds), life.end.then(tooLate)]);
        await Promise.all(victims.map((victim) => kill[victim]()));
        // The others go on meanwhile, as far as they can.
        for (const hold of holds) hold.release();
        if (point.gate !== undefined) await deployment.open(`${name}-${point.gate}`);
        life.allowAnswer();
        if (victims.includes('temporal')) await temporal.restart({ mayMove: true });
        await deployment.restart(
          ...victims.flatMap((victim) => (victim === 'temporal' ? [] : [`${victim}0` as const])),
        );
      } finally {
        for (const hold of holds) hold.release();
      }
      const seen = await life.end;
      await expectWholeLife({ deployment, client }, name, seen);
      return seen;
    },
    async tasks() {
      const { count } = await client.workflow.count(`WorkflowType = "${TASK_WORKFLOW_TYPE}"`);
      return count;
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

function tooLate(): never {
  throw new Error('The task has ended before it came to this point');
}

async function reach(deployment: Deployment, life: TaskLife, point: KillPoint, holds: readonly Hold[]): Promise<void> {
  const { gate, seen } = point;
  let isHeld = holds.length === 0;
  void Promise.all(holds.map(({ reached }) => reached)).then(() => {
    isHeld = true;
  });
  await eventually(
    async () => {
      if (!isHeld) throw new Error('What is to be held has not come');
      const waits = await deployment.calls({ messageId: life.messageId, event: 'waits' });
      if (gate !== undefined && !waits.some(({ text }) => text === gate)) throw new Error(`Nobody waits at ${gate}`);
      if (seen !== undefined && !hasSeen(life)[seen]) throw new Error(`The caller has not seen it ${seen}`);
      return true;
    },
    { timeoutMs: REACH_MS },
  );
}

function hasSeen({ isStarted, isAnswered, isOver, state }: TaskLife): Record<NonNullable<KillPoint['seen']>, boolean> {
  return {
    started: isStarted,
    working: state === 'TASK_STATE_WORKING',
    asked: state === 'TASK_STATE_INPUT_REQUIRED',
    answered: isAnswered,
    completed: state === 'TASK_STATE_COMPLETED',
    over: isOver,
  };
}
