import type { Readable } from 'node:stream';
import type { CallerConfiguration } from '../config/configuration.ts';
import { Failure } from '../domain/failure.ts';
import { parseArtifactUri } from '../domain/stage-run.ts';
import type { ArtifactStore } from '../storage/artifact-store.ts';
import type { TaskWorkflows } from '../temporal/tasks/task-workflows.ts';
import { requireOwnTask } from './own-task.ts';

export interface OpenedArtifact {
  readonly stream: Readable;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly filename: string;
}

export type OpenArtifact = (taskId: string, artifactId: string, caller: string) => Promise<OpenedArtifact>;

/** @throws {Failure} `task-not-found` when there is no such artifact in a task of the caller's. */
export function createOpenArtifact({
  tasks,
  artifacts,
  callers,
}: {
  tasks: TaskWorkflows;
  artifacts: ArtifactStore;
  callers: readonly CallerConfiguration[];
}): OpenArtifact {
  return async function openArtifact(taskId, artifactId, caller) {
    await requireTaskOf(taskId, caller);
    const { task } = await tasks.read(taskId);
    for (const artifact of task.artifacts) {
      for (const part of artifact.parts) {
        const stored = part.url === undefined ? undefined : parseArtifactUri(part.url);
        if (stored?.artifactId !== artifactId) continue;
        const opened = await artifacts.open(taskId, artifactId, stored.sha256);
        if (opened === undefined) break;
        return {
          ...opened,
          sha256: stored.sha256,
          mediaType: part.mediaType ?? 'application/octet-stream',
          filename: part.filename ?? artifact.name ?? artifactId,
        };
      }
    }
    throw new Failure('task-not-found', 'Artifact not found');
  };

  /** An address has no tenant: the task is in any that the caller may name. */
  async function requireTaskOf(taskId: string, caller: string): Promise<void> {
    const { tenant } = (await tasks.startMemo(taskId)) ?? {};
    const isNamed = tenant !== undefined && callers.find(({ id }) => id === caller)?.tenants.includes(tenant) === true;
    await requireOwnTask(tasks, taskId, { caller, ...(isNamed && { tenant }) });
  }
}
