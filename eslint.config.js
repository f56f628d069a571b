import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const reads = (object, property, message) => ({ object, property, message });
const names = (message, ...globals) => globals.map((name) => ({ name, message }));

const IN_WORKFLOWS = 'Workflow code has no process, no I/O and no randomness of its own';
const IN_DOMAIN = 'The domain is pure: take the value as an argument';
const OUTBOUND = 'What leaves the process goes through src/net, which guards it';
const ENVIRONMENT = 'src/config is the only reader of the environment; take the value as an argument';

/** Not there in the workflow sandbox, or not the same at replay. */
const UNREPLAYABLE = ['process', 'Buffer', 'crypto', 'fetch', 'performance', 'WebSocket', 'require', '__dirname'];
/** Replaced by Temporal inside a workflow, and logging there is `log` of the workflow API. */
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask'];

const unreplayable = [
  ...names(IN_WORKFLOWS, ...UNREPLAYABLE),
  ...names('Use `log` of @temporalio/workflow', 'console'),
  ...names('Not the same at replay: finalizers run when the collector likes', 'WeakRef', 'FinalizationRegistry'),
];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', '.longhaul/', 'tests/replay/histories/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-constant-binary-expression': 'error',
      'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
      'no-control-regex': 'error',
      'no-debugger': 'error',
      'no-dupe-else-if': 'error',
      'no-duplicate-case': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-fallthrough': 'error',
      'no-irregular-whitespace': 'error',
      'no-loss-of-precision': 'error',
      'no-promise-executor-return': 'error',
      'no-self-assign': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable-loop': 'error',
      'no-unsafe-finally': 'error',
      'no-unsafe-optional-chaining': 'error',
      'no-useless-assignment': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'use-isnan': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // A promise that nobody awaits says so with `void`, and why.
      '@typescript-eslint/no-floating-promises': ['error', { checkThenables: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
      // An empty string is as good as none, in the environment and on the wire.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true, boolean: true } }],
      // The only enums here are other people's: gRPC's status codes, compared with a number from the wire.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // An interface has no index signature, so JSON types refuse it: both forms have their place.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // A function is async because its type says so (an executor, an activity, a step), not because it waits.
      '@typescript-eslint/require-await': 'off',
      // `process.env['NAME']` and records from JSON read better with the key in quotes.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'activities/**/*.ts', 'workflows/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['src/**/*.ts', 'activities/**/*.ts'],
    ignores: ['src/net/**', 'src/cli/**'],
    rules: { 'no-restricted-globals': ['error', ...names(OUTBOUND, 'fetch')] },
  },
  {
    files: ['src/**/*.ts', 'activities/**/*.ts'],
    ignores: [
      ...['src/config/**', 'src/cli/**', 'src/gateway.ts', 'src/worker.ts'],
      ...['src/temporal/server/**', 'activities/executors/command*.ts'], // start programs, which inherit the environment
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        reads('process', 'env', ENVIRONMENT),
        reads('process', 'exit', 'A process ends when the scope of its composition root does'),
      ],
    },
  },
  { files: ['src/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // Temporal replaces Date, Math.random and the timers inside a workflow, so these may be used.
    files: ['workflows/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', ...unreplayable] },
  },
  {
    files: ['src/domain/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...unreplayable, ...names(IN_DOMAIN, ...TIMERS)],
      'no-restricted-properties': [
        'error',
        reads('Date', 'now', IN_DOMAIN),
        reads('Math', 'random', IN_DOMAIN),
        reads('globalThis', 'crypto', IN_DOMAIN),
        reads('globalThis', 'process', IN_DOMAIN),
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: IN_DOMAIN },
        { selector: 'CallExpression[callee.name="Date"]', message: IN_DOMAIN },
        { selector: 'ImportExpression', message: 'The sandbox loads one bundle: import statically.' },
      ],
    },
  },
  {
    files: ['tests/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
