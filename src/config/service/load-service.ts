/** `a2a.yaml`, and all that it names, as one value. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { JsonObject } from '../../domain/json.ts';
import type { Publication } from '../../domain/pipeline.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { ServiceConfiguration } from '../configuration.ts';
import { didYouMean } from '../did-you-mean.ts';
import { errorCode, messageOf } from '../error-text.ts';
import { readShape } from '../read-shape.ts';
import { parseYamlFile, type YamlFile } from '../yaml-file.ts';
import { readCardSigningKey } from './card-signing-key.ts';
import { checkCallers, type ReadVariable } from './check-callers.ts';
import { loadPublication } from './load-publication.ts';
import { ProblemList } from './problem-list.ts';
import { parsePublicUrl } from './public-url.ts';
import { serviceShape, type ServiceShape } from './shapes.ts';

export interface ServiceSource {
  /** Absolute path of `a2a.yaml`. */
  readonly configPath: string;
  /** Absolute path of the folder that messages name files from. */
  readonly cwd: string;
  /** Reads callers' tokens; absent in a process that serves no callers. */
  readonly readVariable?: ReadVariable;
  /** Whether requests with no credentials may be let in, and `http:` be used beyond this machine. */
  readonly mayBeOpen: { readonly anonymous: boolean; readonly http: boolean };
}

/** @throws {ConfigurationError} with every problem of `a2a.yaml` and of the files that it names. */
export async function loadService(source: ServiceSource): Promise<ServiceConfiguration> {
  const { configPath, cwd } = source;
  const nameOf = (path: string) => {
    const name = relative(cwd, path);
    return name.startsWith('..') ? path : name;
  };
  const file = parseYamlFile(await readConfig(configPath, nameOf(configPath)), nameOf(configPath));
  const shape = readShape(serviceShape, file);

  const problems = new ProblemList();
  const publicUrl = parsePublicUrl(shape.public_url, { mayBeHttp: source.mayBeOpen.http });
  if ('fault' in publicUrl) problems.add(file, ['public_url'], publicUrl.fault);
  const callers = checkCallers(shape, file, source.readVariable, problems);
  if (shape.anonymous !== null && !source.mayBeOpen.anonymous) {
    problems.add(file, ['anonymous'], 'lets everyone in: only for a listener on loopback, or with --insecure');
  }
  checkNames(shape, file, problems);
  // Who serves no callers shows no card.
  const cardSigningKey = source.readVariable && (await readCardSigningKey(shape, file, dirname(configPath), problems));

  const publications: Publication[] = [];
  const entries = (file.value as { publications: readonly unknown[] }).publications;
  for (const [index, each] of shape.publications.entries()) {
    const path = ['publications', index];
    const place = { shape: each, file, path, entry: entries[index], configDirectory: dirname(configPath), nameOf };
    const publication = await loadPublication(place, problems);
    if (publication !== undefined) publications.push(publication);
  }
  problems.throwIfAny();

  const { limits, retention, dispatch } = shape;
  return {
    publicUrl: 'url' in publicUrl ? publicUrl.url : shape.public_url,
    ...(shape.public_grpc !== undefined && { publicGrpc: shape.public_grpc }),
    name: shape.name,
    description: shape.description,
    callers,
    publications,
    limits: {
      bodyBytesMax: limits.body_bytes,
      blockingMaxMs: limits.blocking_max,
      ...(limits.tasks_open !== undefined && { tasksOpenMax: limits.tasks_open }),
      ...(limits.requests_per_minute !== undefined && { requestsPerMinuteMax: limits.requests_per_minute }),
      ...(limits.burst !== undefined && { burstMax: limits.burst }),
      ...(limits.runs !== undefined && { runsMax: limits.runs }),
    },
    retention: {
      ...(retention.terminal !== undefined && { terminalMs: retention.terminal }),
      ...(retention.tombstone !== undefined && { tombstoneMs: retention.tombstone }),
    },
    ...(cardSigningKey !== undefined && { cardSigningKey }),
    modifiedAt: (await stat(configPath)).mtime,
    extensions: shape.extensions.map(({ uri, description, required, params }) => ({
      uri,
      required,
      ...(description !== undefined && { description }),
      ...(params !== undefined && { params: params as JsonObject }),
    })),
    push: {
      isEnabled: shape.push.enabled,
      allowHosts: shape.push.allow_hosts,
      timeoutMs: shape.push.timeout,
      attemptsMax: shape.push.attempts,
      firstRetryMs: shape.push.first_retry,
      keepMs: shape.push.keep,
    },
    discovery: shape.discovery,
    anonymous: shape.anonymous,
    defaultSkill: dispatch.default_skill ?? dispatch.helm ?? null,
  };
}

async function readConfig(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const message =
      errorCode(cause) === 'ENOENT'
        ? 'there is no such file; write one with: longhaul init, or name another with --config'
        : `cannot be read: ${messageOf(cause)}`;
    throw new ConfigurationError([{ source: name, key: '', message }]);
  }
}

function checkNames({ publications, dispatch }: ServiceShape, file: YamlFile, problems: ProblemList): void {
  const ids = publications.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) === index) continue;
    problems.add(file, ['publications', index, 'id'], `"${id}" is the name of publications[${ids.indexOf(id)}]`);
  }
  for (const key of ['default_skill', 'helm'] as const) {
    const id = dispatch[key];
    if (id === undefined || ids.includes(id)) continue;
    problems.add(file, ['dispatch', key], `no publication is named "${id}"${didYouMean(id, ids)}`);
  }
}
