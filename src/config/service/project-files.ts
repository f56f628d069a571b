/** The files that a publication names: read once, and remembered for its revision. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { checkJson } from '../../contract/json-guard.ts';
import { compileJsonSchema } from '../../contract/json-schema.ts';
import type { JsonObject } from '../../domain/json.ts';
import { errorCode, messageOf } from '../error-text.ts';
import { parseYamlFile } from '../yaml-file.ts';

/** A file, or what it holds, is not as it must be; the message is for the place that names the file. */
export class ProjectFileError extends Error {}

export class ProjectFiles {
  /** Absolute path. */
  readonly root: string;
  readonly #sha256ByPath = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
  }

  /** Hex SHA-256 of every file so far, by its path from the root, which is the same on every machine. */
  digests(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#sha256ByPath);
  }

  resolve(path: string): string {
    return resolve(this.root, path);
  }

  /** @throws {ProjectFileError} */
  async read(path: string): Promise<string> {
    const absolute = this.resolve(path);
    let bytes: Buffer;
    try {
      bytes = await readFile(absolute);
    } catch (cause) {
      throw new ProjectFileError(faultText(path, absolute, cause));
    }
    const name = relative(this.root, absolute).split(sep).join('/');
    this.#sha256ByPath.set(name, createHash('sha256').update(bytes).digest('hex'));
    return bytes.toString('utf8');
  }

  /** Remembers a file if it is one, inside of the root: an argument of a command may be one. */
  async noteIfFile(path: string): Promise<void> {
    const fromRoot = relative(this.root, this.resolve(path));
    if (fromRoot === '' || fromRoot.startsWith('..') || isAbsolute(fromRoot)) return;
    const found = await stat(this.resolve(path)).catch(() => undefined);
    if (found?.isFile() === true) await this.read(path);
  }

  /**
   * Reads a JSON Schema and compiles it, to see that it is one.
   * @param schema the schema itself, or its file.
   * @throws {ProjectFileError}
   */
  async readSchema(schema: string | Readonly<Record<string, unknown>>): Promise<JsonObject> {
    const prefix = typeof schema === 'string' ? `${schema}: ` : '';
    const value = typeof schema === 'string' ? parseDocument(await this.read(schema), schema) : schema;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ProjectFileError(`${prefix}must hold a JSON Schema object`);
    }
    const { $schema: dialect } = value as { $schema?: unknown };
    if (typeof dialect === 'string' && !dialect.includes('draft/2020-12/')) {
      throw new ProjectFileError(`${prefix}must be JSON Schema 2020-12, and its $schema is "${dialect}"`);
    }
    try {
      checkJson(value, '');
      compileJsonSchema(value as JsonObject, '');
    } catch (cause) {
      throw new ProjectFileError(`${prefix}is no usable JSON Schema: ${messageOf(cause)}`);
    }
    return value as JsonObject;
  }
}

function parseDocument(text: string, path: string): unknown {
  try {
    return /\.ya?ml$/.test(path) ? parseYamlFile(text, path).value : JSON.parse(text);
  } catch (cause) {
    throw new ProjectFileError(`${path} is not readable: ${messageOf(cause)}`);
  }
}

function faultText(path: string, absolute: string, cause: unknown): string {
  const code = errorCode(cause);
  const place = path === absolute ? path : `${path} (${absolute})`;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${place}`;
  if (code === 'EISDIR') return `${place} is a folder`;
  return `${place} cannot be read: ${messageOf(cause)}`;
}
