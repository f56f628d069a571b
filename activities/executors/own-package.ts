import { registerHooks } from 'node:module';

const SELF = 'longhaul';
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const ownIndex = new URL(`../../src/index.${extension}`, import.meta.url).href;

let isRegistered = false;

/**
 * Lets `import { StageError } from 'longhaul'` work in executors that lie in a folder without `node_modules`, as they do
 * where the command is installed globally: what the folder cannot resolve is this package itself.
 */
export function provideOwnPackage(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier !== SELF) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch {
        return { url: ownIndex, shortCircuit: true };
      }
    },
  });
}
