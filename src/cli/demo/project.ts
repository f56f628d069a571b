import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../process/package-root.ts';

export interface DemoProject {
  readonly directory: string;
  readonly configPath: string;
  /** Holds the caller's token, for the user's own requests. */
  readonly tokenPath: string;
  readonly token: string;
}

/**
 * Copies examples/research to `directory`: Node runs no TypeScript below node_modules, and users may want to change it.
 * Its `public_url` becomes the one that this run has.
 */
export async function prepareProject(directory: string, { publicUrl }: { publicUrl: string }): Promise<DemoProject> {
  await mkdir(directory, { recursive: true });
  await cp(join(packageRoot(), 'examples', 'research'), directory, { recursive: true });
  // Its .ts files are ES modules, whatever the package.json of the project around it says.
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n');
  const configPath = join(directory, 'a2a.yaml');
  const config = await readFile(configPath, 'utf8');
  await writeFile(configPath, config.replace(/^public_url:.*$/m, `public_url: ${publicUrl}`));
  const tokenPath = join(directory, 'token');
  return { directory, configPath, tokenPath, token: await ensureToken(tokenPath) };
}

async function ensureToken(path: string): Promise<string> {
  try {
    await writeFile(path, randomBytes(24).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}
