import { describe, expect, it } from '@jest/globals';
import { A2A_YAML, PIPELINE_YAML, Project, changed } from '../project.ts';

describe('a pipeline file', () => {
  it.each<[string, string, string, string]>([
    [
      'a need of no name',
      'needs: [plan]',
      'needs: [plann]',
      ':10:13 stages[2].needs[0]: no stage is named "plann" (did you mean "plan"?)',
    ],
    ['a need given twice', 'needs: [plan]', 'needs: [plan, plan]', ':10:19 stages[2].needs[1]: "plan" is given twice'],
    [
      'a circle',
      'needs: [clarify]',
      'needs: [gather]',
      ':7:13 stages[1].needs[0]: the stages need each other in a circle: plan -> gather -> plan',
    ],
    [
      'a stage that needs itself',
      'needs: [clarify]',
      'needs: [plan]',
      ':7:13 stages[1].needs[0]: the stages need each other in a circle: plan -> plan',
    ],
    ['two stages of a name', 'id: plan', 'id: clarify', ':6:9 stages[1].id: "clarify" is the name of stages[0]'],
    [
      'a bad identifier',
      'id: gather',
      'id: "ga/ther"',
      ':9:9 stages[2].id: must be letters, digits, "_" and "-", at most 80, and begin with no sign',
    ],
    [
      'an unknown key',
      'side_by_side: 4',
      'side_by_sid: 4',
      ':15:5 stages[2].side_by_sid: is not a known key (did you mean "side_by_side"?)',
    ],
    [
      'for_each over no stage',
      '/plan/payload',
      '/plam/payload',
      ':11:15 stages[2].for_each: no stage is named "plam" (did you mean "plan"?)',
    ],
    [
      'for_each over a stage that comes later',
      '/plan/payload',
      '/review/payload',
      ':11:15 stages[2].for_each: this stage does not need "review", neither near nor far',
    ],
    [
      'for_each over itself',
      '/plan/payload',
      '/gather/payload',
      ':11:15 stages[2].for_each: this stage does not need "gather", neither near nor far',
    ],
    [
      'for_each that is no pointer',
      '/plan/payload/questions',
      'plan.questions',
      `:11:15 stages[2].for_each: must be a JSON pointer into a stage's envelope, such as /plan/payload/questions, and is "plan.questions"`,
    ],
    [
      'for_each over a whole envelope',
      '/plan/payload/questions',
      '/plan',
      `:11:15 stages[2].for_each: must be a JSON pointer into a stage's envelope, such as /plan/payload/questions, and is "/plan"`,
    ],
    [
      'for_each with a broken escape',
      '/plan/payload/questions',
      '/plan/payload/a~b',
      `:11:15 stages[2].for_each: must be a JSON pointer into a stage's envelope, such as /plan/payload/questions, and is "/plan/payload/a~b"`,
    ],
    ['a timeout without a unit', 'timeout: 10m', 'timeout: 10', ':13:14 stages[2].timeout: must be text, and is 10'],
    ['negative retries', 'retries: 5', 'retries: -1', ':14:14 stages[2].retries: must not be negative'],
    ['half a retry', 'retries: 5', 'retries: 1.5', ':14:14 stages[2].retries: must be a whole number, and is 1.5'],
    ['none side by side', 'side_by_side: 4', 'side_by_side: 0', ':15:19 stages[2].side_by_side: must be at least 1'],
    [
      'too many side by side',
      'side_by_side: 4',
      'side_by_side: 1001',
      ':15:19 stages[2].side_by_side: must not be more than 1000',
    ],
    [
      'side_by_side without for_each',
      '    for_each: /plan/payload/questions\n',
      '',
      ':14:5 stages[2].side_by_side: means nothing without for_each',
    ],
    [
      'an unknown kind of gate',
      '[free_text]',
      '[free_txt]',
      ':5:13 stages[0].gates[0]: must be "free_text" or "confirm", and is "free_txt" (did you mean "free_text"?)',
    ],
    [
      'a gate without a message',
      'kind: confirm, message: Publish this report?',
      'kind: confirm',
      ':18:11 stages[3].gate.message: is required',
    ],
    [
      'a stage that does nothing',
      '    gate: { kind: confirm, message: Publish this report? }\n',
      '',
      ':16:5 stages[3]: stage "review" needs an executor or a gate',
    ],
    [
      'keys of an executor on a gate',
      'needs: [gather]',
      'needs: [gather]\n    timeout: 1s',
      ':18:5 stages[3].timeout: means nothing without an executor',
    ],
    [
      'emits in a folder',
      'emits: [report.md]',
      'emits: [out/report.md]',
      ':23:13 stages[4].emits[0]: must be a file name without a folder',
    ],
    [
      'a hidden file',
      'emits: [report.md]',
      'emits: [.report]',
      ':23:13 stages[4].emits[0]: must be a file name without a folder',
    ],
    [
      'a missing module',
      'module: ./stages.ts, export: plan',
      'module: ./stage.ts, export: plan',
      ':8:41 stages[1].executor.module: there is no file ./stage.ts (DIR/stage.ts)',
    ],
    [
      'a missing schema',
      './report.schema.json',
      './absent.json',
      ':22:20 stages[4].output_schema: there is no file ./absent.json (DIR/absent.json)',
    ],
    [
      'a schema in place that is none',
      './report.schema.json',
      '{ type: objekt }',
      ':22:20 stages[4].output_schema: is no usable JSON Schema: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf',
    ],
    [
      'a schema that refers to another',
      './report.schema.json',
      '{ $ref: "https://x.test/s.json" }',
      ":22:20 stages[4].output_schema: is no usable JSON Schema: can't resolve reference https://x.test/s.json from id #",
    ],
    [
      'a schema of another draft',
      './report.schema.json',
      '{ $schema: "http://json-schema.org/draft-07/schema#" }',
      ':22:20 stages[4].output_schema: must be JSON Schema 2020-12, and its $schema is "http://json-schema.org/draft-07/schema#"',
    ],
    [
      'a schema that is a number',
      './report.schema.json',
      '7',
      ':22:20 stages[4].output_schema: must be a file name or a JSON Schema',
    ],
    [
      'bad indentation',
      '    needs: [gather]',
      '   needs: [gather]',
      ':18:1: All mapping items must start at the same column',
    ],
  ])('is refused for %s', async (_name, from, to, problem) => {
    await using project = await Project.create({ 'research.pipeline.yaml': changed(PIPELINE_YAML, from, to) });
    expect(await project.problems()).toContain(`research.pipeline.yaml${problem.replace('DIR', project.directory)}`);
  });

  it('is refused beside the other problems of the configuration', async () => {
    await using project = await Project.create({
      'a2a.yaml': changed(A2A_YAML, '[ann, bob]', '[eve]'),
      'research.pipeline.yaml': changed(PIPELINE_YAML, 'needs: [plan]', 'needs: [x]'),
    });
    expect((await project.problems()).map((line) => line.split(':')[0])).toEqual([
      'a2a.yaml',
      'research.pipeline.yaml',
    ]);
  });

  it.each([
    ['{"type": ', /research\.schema\.json is not readable: .*JSON/],
    ['[]', /research\.schema\.json: must hold a JSON Schema object/],
  ])('is refused with the schema file %j', async (schema, problem) => {
    await using project = await Project.create({ 'research.schema.json': schema });
    expect((await project.problems())[0]).toMatch(problem);
  });

  it('may hold its schema in place', async () => {
    const yaml = changed(PIPELINE_YAML, './report.schema.json', '{ type: object, required: [title] }');
    await using project = await Project.create({ 'research.pipeline.yaml': yaml });
    const { service } = await project.parse();
    expect(service.publications[0]?.pipeline.stages[4]?.outputSchema).toEqual({ type: 'object', required: ['title'] });
  });
});

describe('the result of a pipeline', () => {
  const without = changed(A2A_YAML, '    results: { stage: final_report, artifacts: [report.md] }\n', '');

  it('is that of the only terminal stage, with all that it emits, when nothing is said', async () => {
    await using project = await Project.create({ 'a2a.yaml': without });
    const { service } = await project.parse();
    expect(service.publications[0]?.results).toEqual({
      stage: 'final_report',
      includePayload: true,
      artifacts: ['report.md'],
    });
  });

  it('has the artifacts that results names, and no others', async () => {
    const yaml = changed(A2A_YAML, 'stage: final_report, artifacts: [report.md]', 'include_payload: false');
    await using project = await Project.create({ 'a2a.yaml': yaml });
    const { service } = await project.parse();
    expect(service.publications[0]?.results).toEqual({ stage: 'final_report', includePayload: false, artifacts: [] });
  });

  it('must be chosen among several terminal stages', async () => {
    const more = '  - { id: log, needs: [plan], executor: { kind: command, command: [logger] } }\n';
    await using project = await Project.create({ 'a2a.yaml': without, 'research.pipeline.yaml': PIPELINE_YAML + more });
    expect(await project.problems()).toEqual([
      'a2a.yaml:7:5 publications[0].results.stage: is required, as several stages end the pipeline: final_report, log',
    ]);
    await project.write('a2a.yaml', A2A_YAML);
    expect(await project.problems()).toEqual([]);
  });

  it('is never that of a stage with for_each', async () => {
    const stages = PIPELINE_YAML.slice(0, PIPELINE_YAML.indexOf('  - id: review'));
    await using project = await Project.create({ 'a2a.yaml': without, 'research.pipeline.yaml': stages });
    expect(await project.problems()).toEqual([
      'a2a.yaml:7:5 publications[0].results.stage: stage "gather" has for_each; the result must come from a stage that runs once',
    ]);
  });
});
