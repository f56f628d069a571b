export type {
  ArtifactContent,
  Decision,
  Executor,
  ExecutorContext,
  ExecutorResult,
  Progress,
  Question,
  StreamOptions,
} from './domain/executor.ts';
export { StageError } from './domain/executor.ts';
export type { ArtifactRef, Envelope } from './domain/envelope.ts';
export type { Artifact, Message, Part, Task, TaskState } from './domain/a2a.ts';
export type { Json } from './domain/json.ts';
