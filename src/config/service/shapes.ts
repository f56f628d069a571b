/** What `a2a.yaml` and `*.pipeline.yaml` may hold, key by key. What the keys mean together is checked by their readers. */
import { z } from 'zod';
import { OUTBOUND_ENTRY_FORM, outboundEntryFault } from '../../net/outbound-policy.ts';
import { parseDurationMs } from '../duration.ts';
import { strict } from '../read-shape.ts';

const identifier = z
  .string()
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,79}$/,
    'must be letters, digits, "_" and "-", at most 80, and begin with no sign',
  );

/** First steps of HTTP+JSON paths, of A2A 1.0 and 0.3: no tenant must hide one. */
const RESERVED = ['message:send', 'message:stream', 'tasks', 'extendedAgentCard', 'card', 'v1', 'message'];

const text = z.string().trim().min(1, 'must not be empty');

const outboundEntry = text.refine((entry) => outboundEntryFault(entry) === undefined, OUTBOUND_ENTRY_FORM);

const fileName = z.string().regex(/^[^/\\.][^/\\]*$/, 'must be a file name without a folder');

const positive = z.int().min(0, 'must not be negative');

const duration = z.string().transform((value, context) => {
  const durationMs = parseDurationMs(value);
  if (durationMs !== undefined && durationMs > 0) return durationMs;
  context.issues.push({ code: 'custom', message: 'must be a duration such as 300s, 10m, 6h or 30d', input: value });
  return z.NEVER;
});

function unique<Element extends z.ZodType<string>>(element: Element) {
  return z.array(element).superRefine((values, context) => {
    for (const [index, value] of values.entries()) {
      if (values.indexOf(value) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: `"${value}" is given twice` });
    }
  });
}

const executor = z.discriminatedUnion('kind', [
  strict({ kind: z.literal('function'), module: text, export: text.default('default') }),
  strict({
    kind: z.literal('command'),
    command: z
      .array(z.string())
      .min(1, 'must name a program')
      .refine(([program]) => program !== '', 'must name a program'),
  }),
]);

const mediaType = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9!#$&^_.+-]+\/([a-z0-9!#$&^_.+-]+|\*)$/, 'must be a media type such as text/plain or image/*');

/** As it stands in the path of an address. */
const tenant = z
  .string()
  .regex(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,79}$/, 'must be letters, digits, "_", "-" and ".", at most 80')
  .refine((name) => !RESERVED.includes(name), 'is the name of a path of the interface');

const gateKind = z.enum(['free_text', 'confirm']);

/** A schema by its file, or in place. */
const jsonSchema = z.union([text, z.record(z.string(), z.unknown())], 'must be a file name or a JSON Schema');

/** Keys that a stage shares with a publication that has an executor of its own. */
const stageKeys = {
  executor: executor.optional(),
  gates: unique(gateKind).optional(),
  timeout: duration.optional(),
  retries: positive.max(1000, 'must not be more than 1000').optional(),
  emits: unique(fileName).optional(),
  follow_ups: z.boolean().optional(),
};

const stage = strict({
  id: identifier,
  needs: unique(z.string()).default([]),
  ...stageKeys,
  for_each: z.string().optional(),
  side_by_side: z.int().min(1, 'must be at least 1').max(1000, 'must not be more than 1000').optional(),
  gate: strict({ kind: gateKind, message: text }).optional(),
  output_schema: jsonSchema.optional(),
});

export const pipelineShape = strict({
  id: identifier,
  stages: z.array(stage).min(1, 'must hold at least one stage'),
});

const publication = strict({
  id: identifier,
  name: text,
  description: text,
  project_root: text.default('.'),
  pipeline: text.optional(),
  ...stageKeys,
  questions_to: z.enum(['caller', 'operator']).optional(),
  goal: text.optional(),
  input_schema: jsonSchema.optional(),
  text_input: text.optional(),
  results: strict({
    stage: z.string().optional(),
    include_payload: z.boolean().default(true),
    artifacts: unique(fileName).optional(),
  }).optional(),
  caller_answerable_stages: unique(z.string()).optional(),
  allowed_callers: unique(identifier).min(1, 'must name at least one caller'),
  dedupe: z.enum(['message', 'none']).default('message'),
  input_modes: unique(mediaType).min(1, 'must hold at least one media type').optional(),
  output_modes: unique(mediaType).min(1, 'must hold at least one media type').optional(),
  tags: unique(text).default([]),
  examples: z.array(text).default([]),
});

export const serviceShape = strict({
  version: z.literal(1, 'must be 1'),
  public_url: text,
  public_grpc: z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[a-zA-Z0-9.-]+):\d{1,5}$/, 'must be host:port, such as agents.example.com:443')
    .optional(),
  name: text.default('Longhaul'),
  description: text.default('Durable tasks over A2A.'),
  callers: z
    .array(
      strict({
        id: identifier,
        token_env: z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
          .optional(),
        tenants: unique(tenant).default([]),
      }),
    )
    .default([]),
  publications: z.array(publication).min(1, 'must hold at least one publication'),
  limits: strict({
    body_bytes: z.int().min(1024, 'must be at least 1024').default(1_048_576),
    blocking_max: duration.default(300_000),
    tasks_open: positive.optional(),
    requests_per_minute: positive.optional(),
    burst: positive.optional(),
    runs: positive.optional(),
  }).prefault({}),
  retention: strict({ terminal: duration.optional(), tombstone: duration.optional() }).prefault({}),
  card: strict({ signing_key: text.optional() }).prefault({}),
  extensions: z
    .array(
      strict({
        uri: text,
        description: text.optional(),
        required: z.boolean().default(false),
        params: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .default([]),
  push: strict({
    enabled: z.boolean().default(true),
    allow_hosts: unique(outboundEntry).default([]),
    timeout: duration.default(15_000).refine((ms) => ms >= 1000 && ms <= 60_000, 'must be from 1s to 60s'),
    attempts: z.int().min(1, 'must be at least 1').max(100, 'must not be more than 100').default(12),
    first_retry: duration.default(2_000),
    keep: duration.default(2_592_000_000),
  }).prefault({}),
  discovery: z.enum(['authenticated', 'public']).default('authenticated'),
  anonymous: identifier.nullable().default(null),
  dispatch: strict({ default_skill: identifier.optional(), helm: identifier.optional() }).prefault({}),
});

export type ServiceShape = z.output<typeof serviceShape>;
export type PublicationShape = z.output<typeof publication>;
export type PipelineShape = z.output<typeof pipelineShape>;
export type StageShape = z.output<typeof stage>;
