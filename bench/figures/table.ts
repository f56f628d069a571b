import type { Figure } from './figure.ts';
import type { Row } from './row.ts';
import { ratioOf } from './row.ts';

const HEAD = ['what', 'Longhaul', 'raw client', 'raw, eager', 'ratio', 'aim'];

/** A Markdown table, its columns as wide as they need to be. */
export function table(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(3, ...cells.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]): string =>
    `| ${widths.map((width, column) => (line[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [format(head), rule, ...body.map(format)].join('\n');
}

function toCells(row: Row): string[] {
  const ratio = ratioOf(row);
  return [
    row.what,
    toText(row.product),
    toText(row.raw),
    toText(row.rawEager),
    ratio === undefined ? '' : ratio.toFixed(2),
    row.aim === undefined ? '' : `${row.aim.text}: ${row.aim.isMet ? 'met' : 'MISSED'}`,
  ];
}

/** Of a distribution its median, 95th and 99th percentile. */
function toText(figure: Figure | undefined): string {
  if (figure === undefined) return '';
  const { unit, n, p50, p95, p99 } = figure;
  if (n === 1) return `${toNumber(p50)} ${unit}`;
  return `${[p50, p95, p99].map(toNumber).join(' / ')} ${unit} (n=${n})`;
}

function toNumber(amount: number): string {
  if (amount >= 100 || Number.isInteger(amount)) return amount.toFixed(0);
  return amount.toFixed(amount >= 10 ? 1 : 2);
}
