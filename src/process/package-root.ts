import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this package: the checkout, or where it is installed. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('This package has lost its package.json');
    folder = parent;
  }
  return folder;
}
