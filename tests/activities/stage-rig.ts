/** Runs one stage as Temporal would, with folders for the stores and a list for the signals. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Info } from '@temporalio/activity';
import { DefaultLogger } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import { loadEnvelope } from '../../activities/keep-envelope.ts';
import type { ActivityDependencies } from '../../activities/index.ts';
import type { Artifact } from '../../src/domain/a2a.ts';
import type { Executor } from '../../src/domain/executor.ts';
import type { ArtifactRef, Envelope, KeptEnvelope } from '../../src/domain/envelope.ts';
import type { ExecutorSpec, Stage } from '../../src/domain/pipeline.ts';
import type { StageOutcome, StageRun, TaskFacts } from '../../src/domain/stage-run.ts';
import { parseArtifactUri } from '../../src/domain/stage-run.ts';
import type { ProgressSignal } from '../../src/domain/task-log.ts';
import { createFolderArtifactStore } from '../../src/storage/artifact-store-folder.ts';
import { createKeptValues } from '../../src/storage/kept-values.ts';
import { createPayloadStore } from '../../src/storage/payload-store.ts';
import { createFolderStepStore } from '../../src/storage/step-store-folder.ts';

export interface StageRig extends AsyncDisposable {
  readonly directory: string;
  readonly signals: ProgressSignal[];
  /** What the activities logged, one text each. */
  readonly logged: string[];
  /** Makes an executor of a function of this test. */
  functionSpec(executor: Executor): Promise<ExecutorSpec>;
  start(options?: StartOptions): { outcome: Promise<StageOutcome>; environment: MockActivityEnvironment };
  run(options?: StartOptions): Promise<StageOutcome>;
  /** Loaded from where it is kept. */
  envelope(options?: StartOptions): Promise<Envelope>;
  read(ref: Pick<ArtifactRef, 'artifactId' | 'sha256'>): Promise<string>;
  readPart(artifact: Artifact | undefined): Promise<string>;
}

export interface StartOptions {
  readonly executor?: Executor;
  readonly spec?: ExecutorSpec;
  readonly stage?: Partial<Stage>;
  readonly run?: Partial<StageRun>;
  readonly facts?: Partial<TaskFacts>;
  readonly upstream?: Readonly<Record<string, KeptEnvelope>>;
  readonly info?: Partial<Info>;
}

/** Modules are files, and so cannot close over a test: they fetch its function here. */
const executors = new Map<string, Executor>();
(globalThis as Record<string, unknown>)['executorsOfTests'] = executors;
let count = 0;

export async function createStageRig(dependencies: Partial<ActivityDependencies> = {}): Promise<StageRig> {
  const directory = await mkdtemp(join(tmpdir(), 'stage-'));
  const signals: ProgressSignal[] = [];
  const logged: string[] = [];
  const artifacts = createFolderArtifactStore(join(directory, 'artifacts'));
  const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const kept = createKeptValues(createPayloadStore({ directory: join(directory, 'payloads') }));
  const { runStage } = createActivities({
    sendProgress: async (_run, signal) => void signals.push(structuredClone(signal)),
    artifacts,
    kept,
    steps: createFolderStepStore(join(directory, 'steps')),
    configDirectory: directory,
    environment: process.env,
    log: { info: log, warn: log },
    stopGraceMs: 4_000,
    ...dependencies,
  });

  const rig: StageRig = {
    directory,
    signals,
    logged,
    async functionSpec(executor) {
      count += 1;
      const key = String(count);
      executors.set(key, executor);
      const module = `executor-${key}.mjs`;
      const source = `export const run = (context) => globalThis.executorsOfTests.get(${JSON.stringify(key)})(context);\n`;
      await writeFile(join(directory, module), source);
      return { kind: 'function', module, export: 'run' };
    },
    start({ executor, spec, stage, run, facts, upstream, info } = {}) {
      const logger = new DefaultLogger('ERROR', () => undefined);
      const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 30_000, ...info }, { logger });
      const begin = async (): Promise<StageOutcome> => {
        const resolved = executor === undefined ? spec : await rig.functionSpec(executor);
        const stageRun: StageRun = {
          stage: { ...STAGE, ...(resolved !== undefined && { executor: resolved }), ...stage },
          turn: 0,
          answers: {},
          followUps: [],
          sideBySide: 1,
          isShown: true,
          isResult: true,
          shownBytes: {},
          ...run,
        };
        return environment.run(
          runStage as never,
          stageRun as never,
          { ...FACTS, ...facts } as never,
          (upstream ?? {}) as never,
        );
      };
      return { outcome: begin(), environment };
    },
    run: (options) => rig.start(options).outcome,
    async envelope(options) {
      const outcome = await rig.run(options);
      if (outcome.outcome !== 'envelope') throw new Error(`Not an envelope: ${JSON.stringify(outcome)}`);
      return loadEnvelope(kept, outcome.envelope);
    },
    async read({ artifactId, sha256 }) {
      const opened = await artifacts.open(FACTS.taskId, artifactId, sha256);
      if (opened === undefined) throw new Error(`There is no artifact ${artifactId}`);
      return text(opened.stream);
    },
    async readPart(artifact) {
      const uri = parseArtifactUri(artifact?.parts[0]?.url ?? '');
      if (uri === undefined) throw new Error(`Not a stored artifact: ${JSON.stringify(artifact)}`);
      return rig.read(uri);
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
    },
  };
  return rig;
}

const STAGE: Stage = {
  id: 'plan',
  needs: [],
  sideBySide: 16,
  gates: ['free_text', 'confirm'],
  retries: 1,
  emits: [],
  followUps: false,
  callerAnswerable: true,
};

const FACTS: TaskFacts = {
  taskId: 'echo-abc',
  contextId: 'context-1',
  caller: 'analyst',
  publicationId: 'echo',
  root: '.',
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  inputForm: { form: 'message' },
};

/** The artifact items of all signals, in order. */
export function artifactItems(signals: readonly ProgressSignal[]) {
  return signals.flatMap(({ items }) => items).filter((item) => 'artifact' in item);
}
