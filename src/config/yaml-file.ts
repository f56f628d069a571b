/** YAML whose every value can be traced to its line. */
import { isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.ts';
import { messageOf } from './error-text.ts';

export type KeyPath = readonly (string | number)[];

export interface YamlFile {
  /** As messages name it. */
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
  /** A problem with the value at a path (or with its key), at the nearest place that the file has for it. */
  problem(path: KeyPath, message: string, at?: 'key' | 'value'): ConfigurationProblem;
}

/** @throws {ConfigurationError} with every syntax error and every duplicate key. */
export function parseYamlFile(text: string, name: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }): ConfigurationProblem => {
    const isDuplicate = code === 'DUPLICATE_KEY';
    const key = isDuplicate ? (/^["']?([^\s:"']+)/.exec(text.slice(pos[0]))?.[1] ?? '') : '';
    return { source: name, ...placeAt(pos[0]), key, message: isDuplicate ? 'is given twice' : message };
  });
  if (faults.length > 0) throw new ConfigurationError(faults);

  const read = (): unknown => {
    try {
      return document.toJS();
    } catch (cause) {
      // An alias to nothing, or so many of them that they would fill the memory.
      throw new ConfigurationError([{ source: name, key: '', message: messageOf(cause) }]);
    }
  };
  return {
    name,
    text,
    value: read(),
    problem(path, message, at = 'value') {
      const offset = offsetOf(document, path, at);
      return { source: name, ...(offset !== undefined && placeAt(offset)), key: keyText(path), message };
    },
  };
}

/** `stages[3].needs[0]` */
function keyText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Walks as far as the file goes: what is missing is reported where it should be. */
function offsetOf(document: Document.Parsed, path: KeyPath, at: 'key' | 'value'): number | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      if (!isPair(pair)) return offset;
      const keyOffset = startOf(pair.key);
      if (at === 'key' && index === path.length - 1) return keyOffset ?? offset;
      node = pair.value;
      offset = startOf(node) ?? keyOffset ?? offset;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
