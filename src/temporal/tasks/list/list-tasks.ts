import pMap from 'p-map';
import type { TaskView } from '../../../domain/task-fold.ts';
import { isCallersMove } from '../../../domain/task-state.ts';
import type { ClosedTasks } from '../task-closed.ts';
import { describeTask } from '../task-description.ts';
import { isFailure } from '../task-failures.ts';
import type { TaskTemporal } from '../task-temporal.ts';
import type { TaskWorkflows } from '../task-workflows.ts';
import { byStatusTime, fitsFilter, type ListPosition } from './list-order.ts';
import type { ListRequest, TaskPage } from './list-page.ts';
import { type ListedTask, toListedTask } from './listed-task.ts';
import type { RecentTasks } from './recent-tasks.ts';
import { countRows, listRows, tooManyOpen } from './visibility.ts';
import {
  closedTasksQuery,
  countedTasksQuery,
  namedClosedTasksQuery,
  openTasksQuery,
  type TaskFilter,
} from './visibility-query.ts';

interface Dependencies {
  readonly temporal: TaskTemporal;
  readonly closedTasks: ClosedTasks;
  readonly recent: RecentTasks;
  readonly read: TaskWorkflows['read'];
}

/** A task and its place in the list, as visibility has it or as it was read. */
interface Placed extends ListPosition {
  readonly state: string;
  readonly row?: ListedTask;
  readonly view?: TaskView;
}

const OPEN_MAX = 20_000;
/** So many working tasks are read themselves: their status moves with each progress, of which visibility knows nothing. */
const WORKING_READ_MAX = 200;
const RECENT_READ_MAX = 100;
const CONCURRENCY = { concurrency: 16 };
/** Rows beyond the page: close times and status times are not in quite the same order. */
const SPARE_ROWS = 25;

/**
 * An owner's tasks. Temporal's visibility lags, so it only tells which there are: what this process has moved, what works,
 * and whatever is shown are read from the tasks themselves. Open tasks are sorted here; those that have ended come in the
 * order of their close times, which are at or after their status times.
 */
export function createList({ temporal, closedTasks, recent, read }: Dependencies): TaskWorkflows['list'] {
  return async function list(request) {
    const rows = await listOpen(request);
    const moved = recent.of(request.owner).slice(0, RECENT_READ_MAX);
    const open = await placeOpen(rows, new Set(moved));
    const openIds = new Set(rows.map(({ taskId }) => taskId));
    const unlisted = await placeUnlisted(
      request,
      moved.filter((taskId) => !openIds.has(taskId)),
    );
    const known = [...open, ...unlisted].filter((task) => fitsFilter(request, task));
    const closed = await listClosed(request, new Set([...open, ...unlisted].map(({ taskId }) => taskId)));
    const ahead = [...known, ...closed]
      .filter((task) => request.after === undefined || byStatusTime(request.after, task) < 0)
      .sort(byStatusTime);
    const total = known.length + (await countClosedBut(request, unlisted));
    return { ...(await showPage(request, ahead)), total };
  };

  async function listOpen(filter: TaskFilter): Promise<readonly Placed[]> {
    const open: Placed[] = [];
    for await (const row of listRows(temporal, openTasksQuery(filter))) {
      const listed = await toListedTask(row, filter.owner, temporal.payloads);
      if (listed !== undefined) open.push(toPlaced(listed));
      if (open.length > OPEN_MAX) throw tooManyOpen();
    }
    return open;
  }

  async function placeOpen(rows: readonly Placed[], moved: ReadonlySet<string>): Promise<readonly Placed[]> {
    const working = rows.filter(({ row }) => row !== undefined && !isCallersMove(row.state)).slice(0, WORKING_READ_MAX);
    const asked = new Set([...working.map(({ taskId }) => taskId), ...moved]);
    const placed = await pMap(rows, (row) => (asked.has(row.taskId) ? readPlaced(row.taskId) : row), CONCURRENCY);
    return placed.filter((task) => task !== undefined);
  }

  /** What has moved here and is not listed as open: too new for visibility, or ended. */
  async function placeUnlisted({ contextId }: TaskFilter, taskIds: readonly string[]): Promise<readonly Placed[]> {
    const placed = await pMap(taskIds, readPlaced, CONCURRENCY);
    return placed
      .filter((task) => task !== undefined)
      .filter(({ view }) => contextId === undefined || view?.task.contextId === contextId);
  }

  async function listClosed(request: ListRequest, known: ReadonlySet<string>): Promise<readonly Placed[]> {
    const { limit, after } = request;
    const closed: Placed[] = [];
    const seen = new Set(known);
    for await (const row of listRows(temporal, closedTasksQuery(request, after?.at), limit + SPARE_ROWS)) {
      const listed = await toListedTask(row, request.owner, temporal.payloads);
      if (listed?.closedAt === undefined) continue;
      // No task that is still to come has a later status than this one's close.
      const { closedAt } = listed;
      if (closed.filter(({ at }) => at >= closedAt).length > limit) break;
      const task = toPlaced(listed);
      if (seen.has(task.taskId) || !fitsFilter(request, task)) continue;
      if (after !== undefined && byStatusTime(after, task) >= 0) continue;
      if (listed.isCutOff && (await isReset(listed))) continue;
      seen.add(task.taskId);
      closed.push(task);
    }
    return closed;
  }

  /** An operator who resets a task terminates its run: another one goes on. */
  async function isReset({ taskId, runId }: ListedTask): Promise<boolean> {
    return (await orUndefined(describeTask(temporal, taskId)))?.runId !== runId;
  }

  /** How many have ended that are not among the unlisted, which are counted already. */
  async function countClosedBut(filter: TaskFilter, unlisted: readonly Placed[]): Promise<number> {
    const count = await countRows(temporal, countedTasksQuery(filter));
    const counted = unlisted.filter((task) => fitsFilter(filter, task)).map(({ taskId }) => taskId);
    if (counted.length === 0) return count;
    return count - (await countRows(temporal, namedClosedTasksQuery(filter, counted)));
  }

  async function showPage(request: ListRequest, ahead: readonly Placed[]): Promise<Pick<TaskPage, 'tasks' | 'next'>> {
    const shown: Placed[] = [];
    let rest = ahead;
    let last: ListPosition | undefined;
    while (shown.length < request.limit && rest.length > 0) {
      const batch = rest.slice(0, request.limit - shown.length);
      rest = rest.slice(batch.length);
      last = batch.at(-1);
      const views = await pMap(batch, readView, CONCURRENCY);
      shown.push(
        ...views
          .filter((view) => view !== undefined)
          .map(placedView)
          .filter((task) => fitsFilter(request, task)),
      );
    }
    const tasks = shown.sort(byStatusTime).flatMap(({ view }) => view ?? []);
    return { tasks, ...(rest.length > 0 && last && { next: { at: last.at, taskId: last.taskId } }) };
  }

  function readView({ taskId, row, view }: Placed): Promise<TaskView | undefined> {
    if (view !== undefined) return Promise.resolve(view);
    if (row === undefined || row.runStatus === 'running') return orUndefined(read(taskId));
    return orUndefined(closedTasks.read(taskId, { runId: row.runId, status: row.runStatus }).then((fold) => fold.view));
  }

  async function readPlaced(taskId: string): Promise<Placed | undefined> {
    const view = await orUndefined(read(taskId));
    return view && placedView(view);
  }
}

function toPlaced(row: ListedTask): Placed {
  return { taskId: row.taskId, at: row.at, state: row.state, row };
}

function placedView(view: TaskView): Placed {
  const { id, status } = view.task;
  return { taskId: id, at: Date.parse(status.timestamp), state: status.state, view };
}

/** What visibility lists may have been deleted since. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isFailure(error, 'task-not-found')) return undefined;
    throw error;
  }
}
