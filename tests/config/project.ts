/** A folder with a configuration in it, of which a test changes what it is about. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { parseConfig } from '../../src/config/parse-config.ts';

export const ANN_TOKEN = 'a'.repeat(40);
export const BOB_TOKEN = 'b'.repeat(40);

export const A2A_YAML = `version: 1
public_url: http://localhost:4000
callers:
  - { id: ann, token_env: ANN_TOKEN }
  - { id: bob, token_env: BOB_TOKEN }
publications:
  - id: research
    name: Research a question
    description: Finds and cites.
    pipeline: ./research.pipeline.yaml
    goal: A cited report.
    allowed_callers: [ann]
    input_schema: ./research.schema.json
    text_input: question
    results: { stage: final_report, artifacts: [report.md] }
    caller_answerable_stages: [clarify]
  - id: echo
    name: Echo
    description: Answers with what it was told.
    executor: { kind: function, module: ./echo.ts, export: echo }
    allowed_callers: [ann, bob]
`;

export const PIPELINE_YAML = `id: research
stages:
  - id: clarify
    executor: { kind: function, module: ./stages.ts, export: clarify }
    gates: [free_text]
  - id: plan
    needs: [clarify]
    executor: { kind: function, module: ./stages.ts, export: plan }
  - id: gather
    needs: [plan]
    for_each: /plan/payload/questions
    executor: { kind: command, command: [python3, gather.py] }
    timeout: 10m
    retries: 5
    side_by_side: 4
  - id: review
    needs: [gather]
    gate: { kind: confirm, message: Publish this report? }
  - id: final_report
    needs: [review]
    executor: { kind: function, module: ./stages.ts, export: report }
    output_schema: ./report.schema.json
    emits: [report.md]
`;

const FILES: Readonly<Record<string, string>> = {
  'a2a.yaml': A2A_YAML,
  'research.pipeline.yaml': PIPELINE_YAML,
  'research.schema.json': '{"type": "object", "properties": {"question": {"type": "string"}}}',
  'report.schema.json': '{"type": "object"}',
  'echo.ts': 'export const echo = () => ({ summary: "" });\n',
  'stages.ts': 'export const plan = 1;\n',
  'gather.py': 'print("{}")\n',
};

export class Project implements AsyncDisposable {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** A valid project, with these files changed, added or (undefined) left out. */
  static async create(files: Readonly<Record<string, string | undefined>> = {}): Promise<Project> {
    const project = new Project(await mkdtemp(join(tmpdir(), 'longhaul-config-')));
    for (const [name, content] of Object.entries({ ...FILES, ...files })) {
      if (content !== undefined) await project.write(name, content);
    }
    return project;
  }

  async write(name: string, content: string): Promise<void> {
    const path = join(this.directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  parse(source: Partial<Parameters<typeof parseConfig>[0]> = {}): Promise<Configuration> {
    const env = { ANN_TOKEN, BOB_TOKEN };
    return parseConfig({ cwd: this.directory, env, ...source });
  }

  /** What is wrong with it, a line for each problem. */
  async problems(source: Partial<Parameters<typeof parseConfig>[0]> = {}): Promise<string[]> {
    const [result] = await Promise.allSettled([this.parse(source)]);
    if (result.status === 'fulfilled') return [];
    if (!(result.reason instanceof ConfigurationError)) throw result.reason;
    return result.reason.message.split('\n');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}

/** The text with one piece of it changed, which must be there. */
export function changed(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`Not there: ${from}`);
  return text.replace(from, to);
}
