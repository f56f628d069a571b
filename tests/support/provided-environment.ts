/** What the global setup hands to the test files, which may run in other processes: through the environment. */
export interface ProvidedEnvironment {
  readonly address: string;
  readonly namespace: string;
  /** Data folder of the shared server. */
  readonly dataDir: string;
  /** Absent as long as there are no workflows. */
  readonly workflowBundlePath?: string;
}

const VARIABLE = 'LONGHAUL_TEST_ENVIRONMENT';

export function provideEnvironment(provided: ProvidedEnvironment): void {
  process.env[VARIABLE] = JSON.stringify(provided);
}

export function providedEnvironment(): ProvidedEnvironment {
  const json = process.env[VARIABLE];
  if (!json) throw new Error('There is no test server: run the tests with npm test, whose global setup starts it');
  return JSON.parse(json) as ProvidedEnvironment;
}
