import type { Artifact, Part, StreamResponse, Task } from '../domain/a2a.ts';
import { parseArtifactUri } from '../domain/stage-run.ts';
import type { TaskView } from '../domain/task-fold.ts';

/** Messages of the history that are shown unless the caller says how many. */
const HISTORY_LENGTH_DEFAULT = 100;

/** From the folded task to what its caller sees: no bookkeeping, public URLs, as much history as was asked for. */
export interface TaskProjection {
  /** `historyLength` as in A2A 1.0 §3.2.4: absent is the default, 0 omits the history. */
  task(view: TaskView, historyLength?: number): Task;
  event(event: StreamResponse, historyLength?: number): StreamResponse;
}

export function createTaskProjection(publicUrl: string): TaskProjection {
  function showTask(task: Task, historyLength: number = HISTORY_LENGTH_DEFAULT): Task {
    const { id, contextId, status, metadata } = task;
    const artifacts = (task.artifacts ?? []).map((artifact) => showArtifact(artifact, id));
    const history = historyLength === 0 ? [] : (task.history ?? []).slice(-historyLength);
    return {
      id,
      contextId,
      status,
      ...(artifacts.length > 0 && { artifacts }),
      ...(history.length > 0 && { history }),
      ...(metadata !== undefined && { metadata }),
    };
  }

  function showArtifact(artifact: Artifact, taskId: string): Artifact {
    const isStored = artifact.parts.some((part) => part.url?.startsWith('artifact:'));
    return isStored ? { ...artifact, parts: artifact.parts.map((part) => showPart(part, taskId)) } : artifact;
  }

  function showPart(part: Part, taskId: string): Part {
    const stored = part.url === undefined ? undefined : parseArtifactUri(part.url);
    if (stored === undefined) return part;
    const path = [taskId, stored.artifactId].map(encodeURIComponent).join('/');
    return { ...part, url: `${publicUrl}/a2a/artifacts/${path}` };
  }

  return {
    task: (view, historyLength) => showTask(view.task, historyLength),
    event(event, historyLength) {
      if ('task' in event) return { task: showTask(event.task, historyLength) };
      if (!('artifactUpdate' in event)) return event;
      const { artifactUpdate } = event;
      return {
        artifactUpdate: { ...artifactUpdate, artifact: showArtifact(artifactUpdate.artifact, artifactUpdate.taskId) },
      };
    },
  };
}
