// The floor plan of docs/architecture.md as rules. A room that is not in the table imports nothing: add it here first.

/** Each room of src and the rooms whose code it may use; every room may use src/domain, which uses nothing. */
const ROOMS = {
  domain: [],
  contract: [],
  config: ['contract', 'net'],
  dispatch: ['contract', 'temporal'],
  operator: ['contract', 'dispatch', 'temporal'],
  a2a: ['contract', 'dispatch', 'temporal'],
  temporal: [],
  http: ['a2a', 'auth', 'operator'],
  grpc: ['a2a', 'auth'],
  auth: [],
  storage: [],
  observability: [],
  net: [],
  'remote-agents': ['net'],
  push: ['net', 'temporal'],
};

/** Rooms that are handed out as instances by the composition roots: anyone handed one may name its type. */
const HANDED_OUT = ['push', 'config', 'storage', 'observability'];

const COMPOSITION_ROOTS = '^src/(cli/|process/|gateway\\.ts$|worker\\.ts$)';
const PUBLIC_TYPES = '^src/index\\.ts$';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const roomRules = Object.entries(ROOMS)
  .filter(([room]) => room !== 'domain')
  .flatMap(([room, others]) => {
    const allowed = ['domain', room, ...others];
    const handedOut = HANDED_OUT.filter((name) => !allowed.includes(name));
    return [
      rule(
        `room-${room}`,
        `src/${room} may use ${['src/domain', ...others.map((name) => `src/${name}`)].join(', ')}.`,
        { path: `^src/${room}/` },
        { path: '^src/', pathNot: `^src/(${[...allowed, ...handedOut].join('|')})/` },
      ),
      rule(
        `room-${room}-by-type`,
        `src/${room} is handed instances of ${handedOut.join(', ')}; it may import their types only.`,
        { path: `^src/${room}/` },
        { path: `^src/(${handedOut.join('|')})/`, dependencyTypesNot: ['type-only'] },
      ),
    ];
  });

/** Packages that belong to one room; composition roots and types are free. */
const only = (name, rooms, packages) =>
  rule(
    name,
    `${packages} belongs to one room.`,
    { path: '^(src|workflows|activities)/', pathNot: [...rooms, COMPOSITION_ROOTS] },
    { path: packages, dependencyTypesNot: ['type-only'] },
  );

export default {
  forbidden: [
    rule('no-cycles', 'Two files in a cycle are one file.', {}, { circular: true }),
    rule(
      'domain-is-pure',
      'Workflow code replays it: no I/O, no clock, no packages.',
      { path: '^src/domain/' },
      { pathNot: '^src/domain/' },
    ),
    ...roomRules,
    rule(
      'rooms-are-known',
      'A file of src stands in a room of the table, or is a composition root or src/index.ts.',
      { path: '^src/', pathNot: [`^src/(${Object.keys(ROOMS).join('|')})/`, COMPOSITION_ROOTS, PUBLIC_TYPES] },
      {},
    ),
    rule(
      'public-types-come-from-the-domain',
      'What users import stands on its own.',
      { path: PUBLIC_TYPES },
      { pathNot: '^src/domain/' },
    ),
    rule(
      'processes-know-no-command',
      'What every process does at its start and end is below the roots that call it.',
      { path: '^src/process/' },
      { path: '^src/(cli/|gateway\\.ts$|worker\\.ts$)' },
    ),
    rule(
      'workflows-are-deterministic',
      'Only the workflow API, the domain and each other.',
      { path: '^workflows/' },
      { pathNot: ['^workflows/', '^src/domain/', '^activities/', 'node_modules/@temporalio/(workflow|common)/'] },
    ),
    rule(
      'workflows-see-activities-as-types',
      'proxyActivities() needs the type only.',
      { path: '^workflows/' },
      { path: '^activities/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'activities-receive-instances',
      'createActivities(dependencies) gets them from src/worker.ts.',
      { path: '^activities/' },
      { path: '^src/', pathNot: '^src/domain/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'activities-are-not-workflows',
      'An activity names a signal by its contract, never a workflow.',
      { path: '^activities/' },
      { path: '^workflows/', pathNot: '-contract\\.ts$' },
    ),
    rule(
      'activities-are-run-by-the-worker',
      'src calls no activity; only composition roots register them.',
      { path: '^src/', pathNot: COMPOSITION_ROOTS },
      { path: '^activities/' },
    ),
    rule(
      'clients-see-contracts',
      'src/temporal starts workflows by contract and type, never by running their code.',
      { path: '^src/', pathNot: COMPOSITION_ROOTS },
      { path: '^workflows/', pathNot: '-contract\\.ts$', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'contracts-are-for-temporal',
      'One room speaks to workflows.',
      { path: '^src/', pathNot: ['^src/temporal/', COMPOSITION_ROOTS] },
      { path: '^workflows/' },
    ),
    rule(
      'http-is-an-edge',
      'Nothing behind HTTP knows HTTP.',
      { path: '^(src|workflows|activities)/', pathNot: ['^src/http/', COMPOSITION_ROOTS] },
      { path: '^src/http/' },
    ),
    rule(
      'grpc-is-an-edge',
      'Nothing behind gRPC knows gRPC.',
      { path: '^(src|workflows|activities)/', pathNot: ['^src/grpc/', COMPOSITION_ROOTS] },
      { path: '^src/grpc/' },
    ),
    rule(
      'roots-are-the-top',
      'A composition root hands out; nothing imports it.',
      { path: '^(src|workflows|activities)/', pathNot: COMPOSITION_ROOTS },
      { path: COMPOSITION_ROOTS },
    ),
    only('temporal-client-in-one-room', ['^src/temporal/'], 'node_modules/@temporalio/(client|worker)/'),
    only('temporal-workflow-api-in-workflows', ['^workflows/'], 'node_modules/@temporalio/workflow/'),
    only('temporal-activity-api-in-activities', ['^activities/'], 'node_modules/@temporalio/activity/'),
    only('grpc-in-two-rooms', ['^src/temporal/', '^src/grpc/'], 'node_modules/(@grpc|@bufbuild)/'),
    only(
      'a2a-sdk-at-its-edges',
      ['^src/a2a/', '^src/http/', '^src/grpc/', '^src/push/', '^src/remote-agents/'],
      'node_modules/@a2a-js/',
    ),
    only('koa-in-one-room', ['^src/http/'], 'node_modules/(koa|@koa|raw-body)/'),
    only('yaml-in-one-room', ['^src/config/'], 'node_modules/yaml/'),
    only('the-terminal-belongs-to-the-command', ['^src/cli/'], 'node_modules/(commander|picocolors)/'),
    rule(
      'bench-stands-outside',
      'It measures the command as its users run it; the raw client knows no line of the product.',
      { path: '^bench/' },
      { path: '^(src|workflows|activities|tests)/', pathNot: PUBLIC_TYPES },
    ),
    rule('bench-stays-out', 'Nothing is built on what measures it.', { pathNot: '^bench/' }, { path: '^bench/' }),
    rule('tests-stay-out', 'Production code never imports tests.', { pathNot: '^tests/' }, { path: '^tests/' }),
    rule(
      'declared-packages-only',
      'A package that is used is declared (this one is: `longhaul` is src/index.ts here).',
      {},
      { pathNot: '^src/', dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    ),
    rule(
      'published-packages-only',
      'What is published needs more than development dependencies.',
      { path: '^(src|workflows|activities)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    ),
    rule('imports-resolve', 'An import names a file or a package that is there.', {}, { couldNotResolve: true }),
  ],
  options: {
    tsPreCompilationDeps: true, // keeps `import type` visible, as type-only
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['longhaul-source', 'import', 'types', 'node', 'default'],
    },
  },
};
