import { describe, expect, it } from '@jest/globals';
import { A2A_YAML, ANN_TOKEN, Project, changed } from '../project.ts';

const PLAIN = 'executor: { kind: function, module: ./echo.ts, export: echo }';

describe('a2a.yaml', () => {
  it.each<[string, string, string, string]>([
    [
      'an unknown key',
      'version: 1',
      'version: 1\npublic_urll: x',
      'a2a.yaml:2:1 public_urll: is not a known key (did you mean "public_url"?)',
    ],
    [
      'an unknown key deeper',
      'goal: A',
      'gaol: A',
      'a2a.yaml:11:5 publications[0].gaol: is not a known key (did you mean "goal"?)',
    ],
    [
      'an unknown key like no other',
      'token_env: BOB_TOKEN',
      'token_env: BOB_TOKEN, xyz: 1',
      'a2a.yaml:5:38 callers[1].xyz: is not a known key; known are id, token_env, tenants',
    ],
    ['another version', 'version: 1', 'version: 2', 'a2a.yaml:1:10 version: must be 1'],
    ['a missing key', '    name: Echo\n', '', 'a2a.yaml:17:5 publications[1].name: is required'],
    ['an empty text', 'name: Echo', 'name: " "', 'a2a.yaml:18:11 publications[1].name: must not be empty'],
    ['an empty value', 'name: Echo', 'name:', 'a2a.yaml:18:10 publications[1].name: must be text, and is empty'],
    ['a number for a text', 'name: Echo', 'name: 7', 'a2a.yaml:18:11 publications[1].name: must be text, and is 7'],
    [
      'a text for a list',
      'callers: [ann, bob]',
      'callers: ann',
      'a2a.yaml:21:22 publications[1].allowed_callers: must be a list, and is "ann"',
    ],
    [
      'a bad identifier',
      'id: echo',
      'id: -echo',
      'a2a.yaml:17:9 publications[1].id: must be letters, digits, "_" and "-", at most 80, and begin with no sign',
    ],
    [
      'an unknown kind of executor',
      'kind: function',
      'kind: functoin',
      'a2a.yaml:20:23 publications[1].executor.kind: must be "function" or "command", and is "functoin" (did you mean "function"?)',
    ],
    [
      'no kind of executor',
      'kind: function, ',
      '',
      'a2a.yaml:20:15 publications[1].executor.kind: is required: "function" or "command"',
    ],
    [
      'an empty command',
      PLAIN,
      'executor: { kind: command, command: [] }',
      'a2a.yaml:20:41 publications[1].executor.command: must name a program',
    ],
    [
      'two publications of a name',
      'id: echo',
      'id: research',
      'a2a.yaml:17:9 publications[1].id: "research" is the name of publications[0]',
    ],
    ['two callers of a name', 'id: bob', 'id: ann', 'a2a.yaml:5:11 callers[1].id: "ann" is the name of callers[0]'],
    [
      'an unknown caller',
      '[ann, bob]',
      '[ann, bobb]',
      'a2a.yaml:21:28 publications[1].allowed_callers[1]: no caller is named "bobb" (did you mean "bob"?)',
    ],
    [
      'a caller allowed twice',
      '[ann, bob]',
      '[ann, ann]',
      'a2a.yaml:21:28 publications[1].allowed_callers[1]: "ann" is given twice',
    ],
    [
      'a caller without token',
      '- { id: bob, token_env: BOB_TOKEN }',
      '- { id: bob }',
      'a2a.yaml:5:5 callers[1].token_env: is required',
    ],
    [
      'a name of no variable',
      'token_env: BOB_TOKEN',
      'token_env: BOB-TOKEN',
      'a2a.yaml:5:27 callers[1].token_env: must be the name of an environment variable',
    ],
    [
      'a token variable that is not set',
      'token_env: BOB_TOKEN',
      'token_env: EVE_TOKEN',
      'a2a.yaml:5:27 callers[1].token_env: the token of caller "bob", EVE_TOKEN, is not set; make one with: export EVE_TOKEN="$(openssl rand -hex 32)"',
    ],
    [
      'one token for two callers',
      'token_env: BOB_TOKEN',
      'token_env: ANN_TOKEN',
      'a2a.yaml:5:27 callers[1].token_env: caller "bob" has the same token as "ann"',
    ],
    [
      'a public URL without TLS',
      'http://localhost:4000',
      'http://example.com',
      'a2a.yaml:2:13 public_url: must be an HTTPS URL (HTTP is allowed on loopback, or with --insecure)',
    ],
    [
      'a public URL that is none',
      'http://localhost:4000',
      'localhost',
      'a2a.yaml:2:13 public_url: must be a URL such as https://agents.example.com',
    ],
    [
      'a public URL with a query',
      'http://localhost:4000',
      'https://x.test/?a=1',
      'a2a.yaml:2:13 public_url: must have no query and no fragment',
    ],
    [
      'a public URL with a password',
      'http://localhost:4000',
      'https://a:b@x.test',
      'a2a.yaml:2:13 public_url: must hold no user name and no password',
    ],
    [
      'a missing pipeline',
      './research.pipeline.yaml',
      './absent.yaml',
      'a2a.yaml:10:15 publications[0].pipeline: there is no file ./absent.yaml (DIR/absent.yaml)',
    ],
    [
      'a missing module',
      'module: ./echo.ts',
      'module: ./absent.ts',
      'a2a.yaml:20:41 publications[1].executor.module: there is no file ./absent.ts (DIR/absent.ts)',
    ],
    [
      'a missing schema',
      './research.schema.json',
      './absent.json',
      'a2a.yaml:13:19 publications[0].input_schema: there is no file ./absent.json (DIR/absent.json)',
    ],
    [
      'a missing program',
      PLAIN,
      'executor: { kind: command, command: [./absent.sh] }',
      'a2a.yaml:20:42 publications[1].executor.command[0]: there is no file ./absent.sh (DIR/absent.sh)',
    ],
    [
      'neither pipeline nor executor',
      `    ${PLAIN}\n`,
      '',
      'a2a.yaml:17:5 publications[1]: publication "echo" needs a pipeline or an executor',
    ],
    [
      'pipeline and executor',
      PLAIN,
      `${PLAIN}\n    pipeline: x`,
      'a2a.yaml:20:5 publications[1].executor: cannot stand beside pipeline',
    ],
    [
      'a key of a skill beside a pipeline',
      'goal:',
      'retries: 1\n    goal:',
      'a2a.yaml:11:5 publications[0].retries: means nothing beside a pipeline',
    ],
    [
      'a key of a pipeline beside a skill',
      PLAIN,
      `${PLAIN}\n    caller_answerable_stages: [a]`,
      'a2a.yaml:21:5 publications[1].caller_answerable_stages: means nothing beside an executor',
    ],
    [
      'text_input without a schema',
      PLAIN,
      `${PLAIN}\n    text_input: a`,
      'a2a.yaml:21:5 publications[1].text_input: means nothing without input_schema',
    ],
    [
      'text_input of no property',
      'text_input: question',
      'text_input: qestion',
      'a2a.yaml:14:17 publications[0].text_input: the input schema has no property "qestion" (did you mean "question"?)',
    ],
    [
      'an unknown result stage',
      'stage: final_report',
      'stage: final_reprot',
      'a2a.yaml:15:23 publications[0].results.stage: no stage is named "final_reprot" (did you mean "final_report"?)',
    ],
    [
      'a result stage that others need',
      'stage: final_report',
      'stage: review',
      'a2a.yaml:15:23 publications[0].results.stage: stage "review" is not the last one: others need it; last are: final_report',
    ],
    [
      'a result artifact that is not emitted',
      '[report.md]',
      '[report.pdf]',
      'a2a.yaml:15:49 publications[0].results.artifacts[0]: "report.pdf" is not among the emits of stage "final_report"',
    ],
    [
      'a result artifact in a folder',
      '[report.md]',
      '[out/report.md]',
      'a2a.yaml:15:49 publications[0].results.artifacts[0]: must be a file name without a folder',
    ],
    [
      'an answerable stage of no name',
      '[clarify]',
      '[clarity]',
      'a2a.yaml:16:32 publications[0].caller_answerable_stages[0]: no stage is named "clarity" (did you mean "clarify"?)',
    ],
    [
      'an answerable stage without gates',
      '[clarify]',
      '[plan]',
      'a2a.yaml:16:32 publications[0].caller_answerable_stages[0]: stage "plan" must have gates: [free_text], and no others',
    ],
    [
      'an answerable stage with other gates',
      '[clarify]',
      '[review]',
      'a2a.yaml:16:32 publications[0].caller_answerable_stages[0]: stage "review" must have gates: [free_text], and no others',
    ],
    [
      'an unknown default',
      'version: 1',
      'version: 1\ndispatch: { default_skill: ecko }',
      'a2a.yaml:2:28 dispatch.default_skill: no publication is named "ecko" (did you mean "echo"?)',
    ],
    [
      'a duration without a unit',
      'version: 1',
      'version: 1\nlimits: { blocking_max: "300" }',
      'a2a.yaml:2:25 limits.blocking_max: must be a duration such as 300s, 10m, 6h or 30d',
    ],
    [
      'a duration of nothing',
      'version: 1',
      'version: 1\nlimits: { blocking_max: 0s }',
      'a2a.yaml:2:25 limits.blocking_max: must be a duration such as 300s, 10m, 6h or 30d',
    ],
    [
      'a tiny body',
      'version: 1',
      'version: 1\nlimits: { body_bytes: 1 }',
      'a2a.yaml:2:23 limits.body_bytes: must be at least 1024',
    ],
    ['a key given twice', 'version: 1', 'version: 1\nversion: 1', 'a2a.yaml:2:1 version: is given twice'],
    [
      'an open bracket',
      '[ann, bob]',
      '[ann, bob',
      'a2a.yaml:22:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ])('is refused for %s', async (_name, from, to, problem) => {
    await using project = await Project.create({ 'a2a.yaml': changed(A2A_YAML, from, to) });
    const problems = await project.problems();
    expect(problems).toContain(problem.replace('DIR', project.directory));
  });

  it('is refused with all that is wrong in it at once', async () => {
    const yaml = changed(
      changed(changed(A2A_YAML, 'version: 1', 'version: 3'), 'name: Echo', 'nam: Echo'),
      'goal',
      'goall',
    );
    await using project = await Project.create({ 'a2a.yaml': yaml });
    expect(await project.problems()).toEqual([
      expect.stringContaining('version: must be 1'),
      expect.stringContaining('goall: is not a known key'),
      expect.stringContaining('publications[1].name: is required'),
      expect.stringContaining('publications[1].nam: is not a known key (did you mean "name"?)'),
    ]);
  });

  it.each(['', '# nothing\n', '- a\n', 'text\n', '---\nversion: 1\n---\nversion: 1\n'])(
    'is refused as %j',
    async (yaml) => {
      await using project = await Project.create({ 'a2a.yaml': yaml });
      expect((await project.problems())[0]).toMatch(/^a2a\.yaml/);
    },
  );

  it('may use anchors, and is pointed to where they stand', async () => {
    const yaml = changed(
      changed(A2A_YAML, 'allowed_callers: [ann]', 'allowed_callers: &all [ann, eve]'),
      'allowed_callers: [ann, bob]',
      'allowed_callers: *all',
    );
    await using project = await Project.create({ 'a2a.yaml': yaml });
    expect(await project.problems()).toEqual([
      'a2a.yaml:12:33 publications[0].allowed_callers[1]: no caller is named "eve"',
      'a2a.yaml:12:33 publications[1].allowed_callers[1]: no caller is named "eve"',
    ]);
  });

  it('never prints a token', async () => {
    for (const token of ['short-secret', `${ANN_TOKEN} with white space`]) {
      await using project = await Project.create();
      const [problem, ...more] = await project.problems({ env: { ANN_TOKEN: token, BOB_TOKEN: 'b'.repeat(32) } });
      expect(problem).toMatch(/^a2a\.yaml:4:27 callers\[0\]\.token_env: the token of caller "ann", ANN_TOKEN, must h/);
      expect(problem).not.toContain(token);
      expect(more).toEqual([]);
    }
  });

  it('takes every key that it is said to take', async () => {
    const yaml =
      A2A_YAML +
      `    questions_to: operator
    gates: [free_text, confirm]
    timeout: 90s
    retries: 0
    emits: [out.txt]
    follow_ups: true
    tags: [demo]
    examples: [Say hello]
    dedupe: none
name: My agents
description: All of them.
limits: { tasks_open: 2, requests_per_minute: 60, burst: 20, body_bytes: 2097152, runs: 0, blocking_max: 5m }
retention: { terminal: 30d, tombstone: 90d }
discovery: public
anonymous: null
dispatch: { default_skill: research, helm: echo }
`;
    await using project = await Project.create({ 'a2a.yaml': yaml });
    const { service } = await project.parse();
    expect(service).toMatchObject({
      name: 'My agents',
      description: 'All of them.',
      limits: {
        tasksOpenMax: 2,
        requestsPerMinuteMax: 60,
        burstMax: 20,
        bodyBytesMax: 2_097_152,
        runsMax: 0,
        blockingMaxMs: 300_000,
      },
      retention: { terminalMs: 2_592_000_000, tombstoneMs: 7_776_000_000 },
      discovery: 'public',
      defaultSkill: 'research',
    });
    expect(service.publications[1]).toMatchObject({
      questionsTo: 'operator',
      dedupe: 'none',
      tags: ['demo'],
      examples: ['Say hello'],
      results: { artifacts: ['out.txt'] },
      pipeline: {
        stages: [
          {
            gates: ['free_text', 'confirm'],
            timeoutMs: 90_000,
            retries: 0,
            emits: ['out.txt'],
            followUps: true,
            callerAnswerable: false,
          },
        ],
      },
    });
  });
});

describe('anonymous', () => {
  const yaml = changed(A2A_YAML, 'version: 1', 'version: 1\nanonymous: guest').replace('[ann, bob]', '[ann, guest]');

  it('is a caller without a token on loopback', async () => {
    await using project = await Project.create({ 'a2a.yaml': yaml });
    const { service } = await project.parse();
    expect(service.anonymous).toBe('guest');
    expect(service.callers[2]).toEqual({ id: 'guest', tenants: [] });
  });

  it('needs no other caller', async () => {
    const alone = `version: 1
public_url: https://x.test/base/
anonymous: guest
publications:
  - { id: echo, name: Echo, description: Says it, executor: { kind: function, module: echo.ts }, allowed_callers: [guest] }
`;
    await using project = await Project.create({ 'a2a.yaml': alone });
    const { service } = await project.parse({ env: {} });
    expect(service.callers).toEqual([{ id: 'guest', tenants: [] }]);
    expect(service.publicUrl).toBe('https://x.test/base');
  });

  it('is refused on a listener that others can reach, unless that is wanted', async () => {
    await using project = await Project.create({ 'a2a.yaml': yaml });
    expect(await project.problems({ flags: { host: '0.0.0.0' } })).toEqual([
      'a2a.yaml:2:12 anonymous: lets everyone in: only for a listener on loopback, or with --insecure',
    ]);
    expect(await project.problems({ flags: { host: '0.0.0.0', insecure: true } })).toEqual([]);
  });
});
