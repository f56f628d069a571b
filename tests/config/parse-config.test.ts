import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { A2A_YAML, ANN_TOKEN, BOB_TOKEN, Project, changed } from './project.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('parseConfig', () => {
  it('reads the service that the files describe', async () => {
    await using project = await Project.create();
    const { service, configPath } = await project.parse();
    expect(configPath).toBe(join(project.directory, 'a2a.yaml'));
    expect(service).toMatchObject({
      publicUrl: 'http://localhost:4000',
      name: 'Longhaul',
      callers: [
        { id: 'ann', tenants: [], tokenHash: sha256(ANN_TOKEN) },
        { id: 'bob', tenants: [], tokenHash: sha256(BOB_TOKEN) },
      ],
      limits: { bodyBytesMax: 1_048_576, blockingMaxMs: 300_000 },
      discovery: 'authenticated',
      anonymous: null,
      defaultSkill: null,
    });
    const [research, echo] = service.publications;
    expect(research).toEqual({
      id: 'research',
      name: 'Research a question',
      description: 'Finds and cites.',
      revision: expect.stringMatching(/^[0-9a-f]{64}$/),
      root: '.',
      pipeline: {
        id: 'research',
        stages: [
          expect.objectContaining({
            id: 'clarify',
            needs: [],
            gates: ['free_text'],
            callerAnswerable: true,
            retries: 3,
            sideBySide: 16,
            executor: { kind: 'function', module: './stages.ts', export: 'clarify' },
          }),
          expect.objectContaining({ id: 'plan', needs: ['clarify'], gates: [], callerAnswerable: false }),
          expect.objectContaining({
            id: 'gather',
            forEach: '/plan/payload/questions',
            timeoutMs: 600_000,
            retries: 5,
            sideBySide: 4,
            executor: { kind: 'command', command: ['python3', 'gather.py'] },
          }),
          {
            id: 'review',
            needs: ['gather'],
            gate: { kind: 'confirm', message: 'Publish this report?' },
            gates: [],
            retries: 3,
            sideBySide: 16,
            emits: [],
            followUps: false,
            callerAnswerable: false,
          },
          expect.objectContaining({ id: 'final_report', outputSchema: { type: 'object' }, emits: ['report.md'] }),
        ],
      },
      plain: false,
      goal: 'A cited report.',
      inputSchema: { type: 'object', properties: { question: { type: 'string' } } },
      textInput: 'question',
      results: { stage: 'final_report', includePayload: true, artifacts: ['report.md'] },
      questionsTo: 'caller',
      dedupe: 'message',
      allowedCallers: ['ann'],
      tags: [],
      examples: [],
    });
    expect(echo).toMatchObject({
      plain: true,
      pipeline: {
        id: 'echo',
        stages: [{ id: 'echo', needs: [], gates: ['free_text'], callerAnswerable: true, sideBySide: 16, retries: 3 }],
      },
      results: { stage: 'echo', includePayload: true, artifacts: [] },
    });
  });

  it('freezes all of it', async () => {
    await using project = await Project.create();
    const config = await project.parse();
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.service.publications[0]?.pipeline.stages[2]?.executor)).toBe(true);
  });

  it('needs no tokens and no safe listeners in a worker', async () => {
    await using project = await Project.create();
    const env = { LONGHAUL_OPERATOR_HOST: '0.0.0.0' };
    const config = await project.parse({ role: 'worker', env });
    expect(config.service.callers).toEqual([
      { id: 'ann', tenants: [] },
      { id: 'bob', tenants: [] },
    ]);
    expect(await project.problems({ env })).toHaveLength(1);
  });

  it('reads a configuration of another folder, and keeps roots relative to it', async () => {
    const yaml = changed(A2A_YAML, '    pipeline:', '    project_root: ../deep/work/\n    pipeline:');
    await using project = await Project.create({ 'a2a.yaml': undefined, 'conf/a2a.yaml': yaml, 'conf/echo.ts': '' });
    for (const name of ['research.schema.json', 'report.schema.json', 'stages.ts']) {
      await project.write(`deep/work/${name}`, '{"properties": {"question": {}}}');
    }
    await project.write('deep/work/research.pipeline.yaml', 'id: r\nstages: [{id: a}]\n');
    expect(await project.problems({ flags: { config: 'conf/a2a.yaml' } })).toContain(
      'deep/work/research.pipeline.yaml:2:10 stages[0]: stage "a" needs an executor or a gate',
    );
    const stage = '{id: a, executor: {kind: function, module: stages.ts}, gates: [free_text], emits: [report.md]}';
    await project.write('deep/work/research.pipeline.yaml', `id: r\nstages: [${stage}]\n`);
    await project.write('conf/a2a.yaml', changed(changed(yaml, 'stage: final_report, ', ''), '[clarify]', '[a]'));
    const { service } = await project.parse({ flags: { config: 'conf/a2a.yaml' } });
    expect(service.publications.map(({ root }) => root)).toEqual(['../deep/work', '.']);
    expect(service.publications[0]?.pipeline.stages[0]?.executor).toEqual({
      kind: 'function',
      module: 'stages.ts',
      export: 'default',
    });
  });

  it('says what to do when there is no configuration', async () => {
    await using project = await Project.create({ 'a2a.yaml': undefined });
    expect(await project.problems()).toEqual([
      'a2a.yaml: there is no such file; write one with: longhaul init, or name another with --config',
    ]);
  });
});

describe("a publication's revision", () => {
  async function revisions(change?: (project: Project) => Promise<void>) {
    await using project = await Project.create();
    await change?.(project);
    return (await project.parse()).service.publications.map(({ revision }) => revision);
  }

  it('is the same in another folder', async () => {
    expect(await revisions()).toEqual(await revisions());
  });

  it.each([
    ['pipeline', 'research.pipeline.yaml', '# a comment\n'],
    ['input schema', 'research.schema.json', '\n'],
    ['output schema', 'report.schema.json', '\n'],
    ['module', 'stages.ts', '// more\n'],
    ['script of a command', 'gather.py', '# more\n'],
  ])('is another with another %s', async (_name, file, added) => {
    const { readFile } = await import('node:fs/promises');
    const [before] = await revisions();
    const [after] = await revisions(async (project) => {
      await project.write(file, (await readFile(join(project.directory, file), 'utf8')) + added);
    });
    expect(after).not.toBe(before);
  });

  it('is another with another entry in a2a.yaml, for that publication alone', async () => {
    const [research, echo] = await revisions();
    const after = await revisions((project) =>
      project.write('a2a.yaml', changed(A2A_YAML, 'A cited report.', 'A long report.')),
    );
    expect(after[0]).not.toBe(research);
    expect(after[1]).toBe(echo);
  });
});
