/** Which packages can be searched: those of the list below that are installed where this example, or Longhaul, can see them. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Change it to search the packages of your own project. */
const PACKAGES = [
  '@a2a-js/sdk',
  '@grpc/grpc-js',
  '@temporalio/activity',
  '@temporalio/client',
  '@temporalio/common',
  '@temporalio/worker',
  '@temporalio/workflow',
  '@types/koa',
  'ajv',
  'commander',
  'koa',
  'lru-cache',
  'minisearch',
  'pino',
  'yaml',
  'zod',
];

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly directory: string;
}

/** In the order of their names. */
export function installedPackages(): InstalledPackage[] {
  return PACKAGES.flatMap((name) => {
    const directory = packageDirectory(name);
    return directory === undefined ? [] : [{ name, version: versionIn(directory), directory }];
  });
}

/** Where a package is installed, or undefined. Not `require.resolve`: many packages do not export their package.json. */
export function packageDirectory(name: string): string | undefined {
  for (const start of startingPoints()) {
    for (const directory of upwards(start)) {
      const candidate = join(directory, 'node_modules', name);
      if (existsSync(join(candidate, 'package.json'))) return candidate;
    }
  }
  return undefined;
}

/** This folder; and, where it was copied away from Longhaul's own packages, the folder of the command that is running. */
function startingPoints(): string[] {
  const longhaul = upwards(import.meta.dirname)
    .map((directory) => join(directory, 'node_modules', 'longhaul'))
    .find((directory) => existsSync(directory));
  const command = process.argv[1];
  return [
    import.meta.dirname,
    ...(longhaul === undefined ? [] : [realpathSync(longhaul)]),
    ...(command !== undefined && existsSync(command) ? [dirname(realpathSync(command))] : []),
  ];
}

function upwards(start: string): string[] {
  const parent = dirname(start);
  return parent === start ? [start] : [start, ...upwards(parent)];
}

function versionIn(directory: string): string {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version?: string };
  return manifest.version ?? '0.0.0';
}
