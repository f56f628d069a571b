import type { FoldedEvent, HistoryFold } from './history-fold.ts';
import { formatCursor } from './task-cursor.ts';
import type { TaskFollowItem } from '../tasks/task-workflows.ts';

/** What followers get of an event; `from` leaves out what a follower has seen of it. */
export function toFollowItem({ fold, shown }: FoldedEvent, from = 0): TaskFollowItem {
  const { cursor } = fold;
  return {
    view: fold.view,
    shown: shown.slice(from).map((event, index) => ({
      cursor: formatCursor({ ...cursor, index: from + index }),
      event,
    })),
    isClosed: fold.end === 'closed',
    isSnapshot: false,
    cursor: formatCursor(cursor),
  };
}

export function toSnapshot(fold: HistoryFold): TaskFollowItem {
  return { ...toFollowItem({ fold, shown: [] }), isSnapshot: true };
}

/** Whether followers are told: the event shows something, changes the task, or ends it. */
export function isWorthTelling(before: HistoryFold | undefined, { fold, shown }: FoldedEvent): boolean {
  return before !== undefined && (shown.length > 0 || fold.view !== before.view || fold.end === 'closed');
}
