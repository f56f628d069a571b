import type { Output } from '../output.ts';
import { nextSteps } from './describe-task.ts';
import type { StageProgress, TaskProgress } from './task-progress.ts';
import type { TaskView } from './task-view.ts';
import { oneLine, stateWord } from './words.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const BAR_CELLS = 16;
const ELEMENTS_MAX = 6;

const ASKS = { caller: 'asks you', operator: 'waits for an operator' } as const;

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_BELOW = '\u001b[0J';

export interface LiveViewOptions {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Under the stages; for those who stay on while the task waits. */
  readonly showsQuestion: boolean;
}

/** A few lines on a terminal, drawn over as the task goes on: one per stage, and those elements that run. */
export function createLiveView(output: Output, { startedAt, showsQuestion }: LiveViewOptions): TaskView {
  let progress: TaskProgress | undefined;
  let notice: string | undefined;
  let linesDrawn = 0;
  let frame = 0;

  const draw = (): void => {
    if (progress === undefined) return;
    const elapsed = Math.round((Date.now() - startedAt) / 1000);
    const lines = render(progress, {
      output,
      spinner: SPINNER[frame % SPINNER.length] ?? '',
      elapsed,
      notice,
      showsQuestion,
    });
    const up = linesDrawn > 0 ? `\u001b[${linesDrawn}A\r` : '';
    output.draw(`${up}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}`);
    linesDrawn = lines.length;
  };

  output.draw(HIDE_CURSOR);
  const timer = setInterval(() => {
    frame += 1;
    draw();
  }, FRAME_MS);
  return {
    show(_event, next) {
      progress = next;
      notice = undefined;
      draw();
    },
    note(text) {
      notice = text;
      draw();
    },
    close() {
      clearInterval(timer);
      notice = undefined;
      draw();
      output.draw(SHOW_CURSOR);
    },
  };
}

interface Scene {
  readonly output: Output;
  readonly spinner: string;
  /** Seconds. */
  readonly elapsed: number;
  readonly notice: string | undefined;
  readonly showsQuestion: boolean;
}

function render(progress: TaskProgress, { output, spinner, elapsed, notice, showsQuestion }: Scene): readonly string[] {
  const { colors } = output;
  const width = output.columns - 1;
  const clock = `${Math.floor(elapsed / 60)}:${String(elapsed % 60).padStart(2, '0')}`;
  const lines = [`${colors.bold(progress.taskId)}  ${stateWord(progress.state, colors)}  ${colors.dim(clock)}`];
  for (const stage of progress.stages) lines.push(...renderStage(stage, progress, { output, spinner, width }));
  if (progress.text !== undefined && progress.reply === undefined) {
    lines.push(`  ${oneLine(progress.text, width - 2)}`);
  }
  if (showsQuestion && progress.question !== undefined) {
    lines.push(colors.yellow(`  ? ${oneLine(progress.question.text, width - 4)}`));
    for (const line of nextSteps({ id: progress.taskId, status: { state: progress.state, timestamp: '' } })) {
      lines.push(colors.dim(`  ${oneLine(line, width - 2)}`));
    }
  }
  if (notice !== undefined) lines.push(colors.yellow(`  ${oneLine(notice, width - 2)}`));
  return lines;
}

function renderStage(
  stage: StageProgress,
  progress: TaskProgress,
  { output, spinner, width }: { output: Output; spinner: string; width: number },
): readonly string[] {
  const { colors } = output;
  const isOver = progress.state !== 'TASK_STATE_WORKING' && progress.state !== 'TASK_STATE_SUBMITTED';
  const isIdle = isOver || stage.asks !== undefined;
  const mark = stage.isDone ? colors.green('✓') : isIdle ? colors.yellow('•') : colors.cyan(spinner);
  const id = stage.id.padEnd(16);
  const elements = Object.entries(stage.elements);
  if (elements.length === 0 && stage.elementCount === undefined) {
    const bar = stage.percent === undefined || stage.isDone || isIdle ? '' : `${drawBar(stage.percent / 100)} `;
    const text = stage.asks === undefined ? (stage.text ?? '') : ASKS[stage.asks];
    const line = oneLine(text, width - id.length - bar.length - 5);
    return [`  ${mark} ${id} ${bar}${stage.asks === undefined ? colors.dim(line) : colors.yellow(line)}`];
  }

  const done = stage.elementsDone ?? elements.filter(([, element]) => element.isDone).length;
  const count = Math.max(stage.elementCount ?? 0, elements.length);
  const head = `  ${mark} ${id} ${drawBar(count === 0 ? 1 : done / count)} ${done}/${count}`;
  if (stage.isDone || isIdle) return [head];
  const running = elements.filter(([, element]) => !element.isDone);
  const rows = running.slice(-ELEMENTS_MAX).map(([index, { text, percent }]) => {
    const label = `      ${String(Number(index) + 1).padStart(3)}  ${percent === undefined ? '' : `${String(percent).padStart(3)}%  `}`;
    return colors.dim(`${label}${oneLine(text ?? '', width - label.length)}`);
  });
  const hidden = running.length - rows.length;
  return [head, ...rows, ...(hidden > 0 ? [colors.dim(`           and ${hidden} more`)] : [])];
}

function drawBar(fraction: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * BAR_CELLS);
  return `${'━'.repeat(filled)}${'╌'.repeat(BAR_CELLS - filled)}`;
}
