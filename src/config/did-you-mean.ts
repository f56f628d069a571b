/** ` (did you mean "plan"?)` when one of the known names is near to what was written; else nothing. */
export function didYouMean(written: string, known: readonly string[]): string {
  const nearest = known
    .map((name) => ({ name, distance: editDistance(written.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance)[0];
  const isNear = nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(written.length / 3));
  return isNear ? ` (did you mean "${nearest.name}"?)` : '';
}

/** Letters put in, left out, changed, or swapped with their neighbour. */
function editDistance(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 0; row < one.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < other.length; column += 1) {
      const isSame = one[row] === other[column];
      const isSwap = row > 0 && column > 0 && one[row] === other[column - 1] && one[row - 1] === other[column];
      const ways = [at(last, column) + (isSame ? 0 : 1), at(last, column + 1) + 1, at(current, column) + 1];
      if (isSwap) ways.push(at(beforeLast, column - 1) + 1);
      current.push(Math.min(...ways));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
