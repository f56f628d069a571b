#!/usr/bin/env node
// The command's doorstep: plain JavaScript that old Nodes can read. It finds a Node that is new enough, decides between the
// compiled command and its source, and becomes that process (or stands in for it, where a process cannot be replaced).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** From here on Node loads users' `.ts` executors without a flag. */
const NODE_MIN = [22, 18];

const packageDir = fileURLToPath(new URL('..', import.meta.url));
const compiledMain = join(packageDir, 'dist', 'src', 'cli', 'main.js');
const sourceMain = join(packageDir, 'src', 'cli', 'main.ts');

/** What the source needs: `import 'longhaul'` is src/index.ts, and type stripping is no news (Node 22 warns of it). */
const SOURCE_FLAGS = ['--conditions=longhaul-source', '--disable-warning=ExperimentalWarning'];

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
}

/** Node strips no types under node_modules, so an installed package runs what was compiled; a checkout runs its source. */
function runsCompiled() {
  const isInstalled = /[\\/]node_modules[\\/]/.test(packageDir);
  return existsSync(compiledMain) && (isInstalled || !existsSync(sourceMain));
}

/** The Node that `npm ci` brought into a checkout, as the development dependency `node`. */
function findBundledNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return [join(packageDir, 'node_modules', 'node', 'bin', name)].find((path) => existsSync(path));
}

/** Runs `node` in this process's place, with its arguments, streams, signals and exit code. */
function become(node, flags, main) {
  const args = [...process.execArgv, ...flags, main, ...process.argv.slice(2)];
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    process.execve(node, [node, ...args], process.env);
  }

  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both processes; sent on as well, the child would take it for a second, impatient one.
  const fromTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) {
    const sentByTerminal = fromTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT');
    process.on(signal, () => {
      if (!sentByTerminal) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`longhaul: could not start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
  });
}

const main = runsCompiled() ? compiledMain : sourceMain;
const flags = main === sourceMain ? SOURCE_FLAGS : [];
const given = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')];
const missingFlags = flags.filter((flag) => !given.includes(flag));
const node = isNewEnough(process.versions.node) ? process.execPath : findBundledNode();

if (!existsSync(main)) {
  console.error(`longhaul: this package is incomplete, ${main} is missing; install it again.`);
  process.exitCode = 1;
} else if (node === undefined) {
  console.error(
    `longhaul needs Node.js ${NODE_MIN.join('.')} or newer and this is ${process.versions.node}; ` +
      'install a current one (or, in a checkout, run "npm ci", which brings one along).',
  );
  process.exitCode = 1;
} else if (node !== process.execPath || missingFlags.length > 0) {
  become(node, missingFlags, main);
} else {
  await import(pathToFileURL(main).href);
}
