/**
 * What `longhaul init` writes, by file name. Kept small: each line is one that a user will want to change. Modules are `.mts`,
 * which Node loads as ES modules also where a package.json above says "type": "commonjs", as `npm init` writes it.
 */
export const INIT_FILES: Readonly<Record<string, string>> = {
  'a2a.yaml': `# What this server offers, and to whom. All keys: docs/configuration.md
version: 1
public_url: http://localhost:4000
callers:
  - { id: me }
  # Others bring a token, which is kept in an environment variable:
  # - { id: analyst, token_env: ANALYST_TOKEN }
anonymous: me                     # who needs no token; only while this listens on this machine alone
publications:
  - id: echo                      # a plain skill: one function, text in, text out
    name: Echo
    description: Answers with what it was told.
    executor: { kind: function, module: ./echo.mts, export: echo }
    allowed_callers: [me]
  - id: brief                     # a pipeline of several stages
    name: Write a brief
    description: Asks who it is for, then writes a short brief.
    pipeline: ./brief.pipeline.yaml
    goal: A brief that its reader understands.
    input_schema: ./brief.schema.json
    text_input: topic             # a plain text message is the topic
    allowed_callers: [me]
    results: { stage: write, artifacts: [brief.md] }
    caller_answerable_stages: [clarify]
dispatch: { default_skill: echo }
`,
  'echo.mts': `import type { Executor } from 'longhaul';

export const echo: Executor = async ({ input }) => ({ summary: input.text });
`,
  'brief.pipeline.yaml': `id: brief
stages:
  - id: clarify
    executor: { kind: function, module: ./brief.mts, export: clarify }
    gates: [free_text]            # it may ask, and waits for days if need be
  - id: outline
    needs: [clarify]
    executor: { kind: function, module: ./brief.mts, export: outline }
  - id: draft
    needs: [outline]
    for_each: /outline/payload/sections   # one run for each, side by side
    executor: { kind: function, module: ./brief.mts, export: draft }
    retries: 2
  - id: write
    needs: [draft]
    executor: { kind: function, module: ./brief.mts, export: write }
    emits: [brief.md]             # without it the stage has failed
`,
  'brief.schema.json': `{
  "type": "object",
  "required": ["topic"],
  "properties": { "topic": { "type": "string", "minLength": 1 } },
  "additionalProperties": false
}
`,
  'brief.mts': `import { setTimeout as delay } from 'node:timers/promises';
import type { Envelope, Executor } from 'longhaul';

/** Stops here until somebody has answered, then runs again from its start, and \`ask\` returns the answer. */
export const clarify: Executor = async ({ input, ask }) => {
  const reader = await ask({ id: 'reader', kind: 'free_text', message: \`Who will read about "\${input.topic}"?\` });
  return { summary: \`For \${reader}\`, payload: { topic: input.topic, reader } };
};

export const outline: Executor = async ({ upstream }) => {
  const { topic } = upstream['clarify']?.payload as { topic: string };
  return { summary: 'Three sections', payload: { topic, sections: ['What it is', 'Why it matters', 'What to do'] } };
};

/** Runs once for each section. A step's result is kept, so that a retry does not do it again. */
export const draft: Executor = async ({ item, step, progress, signal }) => {
  await progress({ text: \`Drafting "\${item}"\`, percent: 10 });
  const text = await step('text', async () => {
    await delay(1500, undefined, { signal }); // here a model, a search or a colleague would work
    return \`## \${item}\\n\\nA paragraph about it.\`;
  });
  return { summary: item, payload: text };
};

export const write: Executor = async ({ upstream, writeArtifact }) => {
  const { topic, reader } = upstream['clarify']?.payload as { topic: string; reader: string };
  const sections = (upstream['draft']?.payload as unknown as Envelope[]).map(({ payload }) => payload as string);
  const content = \`# \${topic}\\n\\nFor \${reader}.\\n\\n\${sections.join('\\n\\n')}\\n\`;
  await writeArtifact({ name: 'brief.md', mediaType: 'text/markdown', content });
  return { summary: \`A brief about "\${topic}" for \${reader}\` };
};
`,
};
