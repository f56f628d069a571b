import { SEARCH_ATTRIBUTES, TASK_WORKFLOW_TYPE } from '../../../../workflows/task-contract.ts';
import type { TaskState } from '../../../domain/a2a.ts';
import { type Owner, ownerKey } from '../../../domain/owner.ts';
import { contextKeyword, keyword } from '../task-search-attributes.ts';

/** Which tasks a list is about. */
export interface TaskFilter {
  readonly owner: Owner;
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Status times from here on, milliseconds since 1970. */
  readonly since?: number;
}

const { caller: CALLER, context: CONTEXT, state: STATE, updated: UPDATED } = SEARCH_ATTRIBUTES;
/** Ended by an operator or by time: failed, whatever the workflow's last word was. */
const CUT_OFF = `ExecutionStatus IN ('Terminated', 'TimedOut')`;
const NOT_CUT_OFF = `ExecutionStatus NOT IN ('Terminated', 'TimedOut')`;

/** All that run. Their state and time are in the memo only: the attributes tell the last change of state. */
export function openTasksQuery(filter: TaskFilter): string {
  return all(ofOwner(filter), `ExecutionStatus = 'Running'`);
}

/**
 * Those that have ended, and a few too many: the exact filter is the reader's.
 * @param until status times up to here, milliseconds since 1970
 */
export function closedTasksQuery(filter: TaskFilter, until?: number): string {
  return all(
    ended(filter),
    filter.since !== undefined && `CloseTime >= ${time(filter.since)}`,
    // A status is at or after the last one that the attribute knows, so no task is left out.
    until !== undefined && `${UPDATED} <= ${time(until)}`,
    until !== undefined && any(`CloseTime <= ${time(until + 1)}`, NOT_CUT_OFF),
  );
}

/** Exactly those that have ended, to be counted. */
export function countedTasksQuery(filter: TaskFilter): string {
  const { since } = filter;
  return all(
    ended(filter),
    since !== undefined && any(`${UPDATED} >= ${time(since)}`, `(${CUT_OFF} AND CloseTime >= ${time(since)})`),
  );
}

export function namedClosedTasksQuery(filter: TaskFilter, taskIds: readonly string[]): string {
  return all(ended(filter), `WorkflowId IN (${taskIds.map(quoted).join(', ')})`);
}

function ended(filter: TaskFilter): string {
  return all(ofOwner(filter), `ExecutionStatus NOT IN ('Running', 'ContinuedAsNew')`, hasEndedIn(filter.state));
}

function hasEndedIn(state: TaskState | undefined): string | false {
  if (state === undefined) return false;
  const said = `${STATE} = '${state}'`;
  return state === 'TASK_STATE_FAILED' ? any(said, CUT_OFF) : all(said, NOT_CUT_OFF);
}

function ofOwner({ owner, contextId }: TaskFilter): string {
  return all(
    `WorkflowType = '${TASK_WORKFLOW_TYPE}'`,
    `${CALLER} = ${quoted(keyword(ownerKey(owner)))}`,
    contextId !== undefined && `${CONTEXT} = ${quoted(contextKeyword(owner, contextId))}`,
  );
}

function all(...conditions: readonly (string | false)[]): string {
  return conditions.filter((condition) => condition !== false).join(' AND ');
}

function any(...conditions: readonly string[]): string {
  return `(${conditions.join(' OR ')})`;
}

function time(milliseconds: number): string {
  return `'${new Date(milliseconds).toISOString()}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
