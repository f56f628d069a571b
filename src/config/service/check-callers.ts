import type { CallerConfiguration } from '../configuration.ts';
import { didYouMean } from '../did-you-mean.ts';
import { howToMake, tokenFault, tokenHash } from '../token.ts';
import type { YamlFile } from '../yaml-file.ts';
import type { ProblemList } from './problem-list.ts';
import type { ServiceShape } from './shapes.ts';

/** Reads an environment variable; what `undefined` instead of a reader means is that this process needs no tokens. */
export type ReadVariable = (name: string) => string | undefined;

/** Callers with the hashes of their tokens; and whoever is allowed to use a publication is one of them. */
export function checkCallers(
  shape: ServiceShape,
  file: YamlFile,
  readVariable: ReadVariable | undefined,
  problems: ProblemList,
): CallerConfiguration[] {
  const ids = shape.callers.map(({ id }) => id);
  const seen = new Map<string, string>();
  const callers = shape.callers.map(({ id, token_env: variable, tenants }, index): CallerConfiguration => {
    const path = ['callers', index];
    if (ids.indexOf(id) !== index)
      problems.add(file, [...path, 'id'], `"${id}" is the name of callers[${ids.indexOf(id)}]`);
    if (variable === undefined) {
      if (id !== shape.anonymous) problems.add(file, [...path, 'token_env'], 'is required');
      return { id, tenants };
    }
    if (readVariable === undefined) return { id, tenants };
    const token = readVariable(variable);
    const fault = token === undefined ? `is not set; ${howToMake(variable)}` : tokenFault(token);
    if (token === undefined || fault !== undefined) {
      problems.add(file, [...path, 'token_env'], `the token of caller "${id}", ${variable}, ${fault ?? ''}`);
      return { id, tenants };
    }
    const hash = tokenHash(token);
    const other = seen.get(hash.toString('hex'));
    if (other !== undefined)
      problems.add(file, [...path, 'token_env'], `caller "${id}" has the same token as "${other}"`);
    seen.set(hash.toString('hex'), id);
    return { id, tenants, tokenHash: hash };
  });

  const { anonymous } = shape;
  if (anonymous !== null && !ids.includes(anonymous)) callers.push({ id: anonymous, tenants: [] });
  if (callers.length === 0) problems.add(file, ['callers'], 'is required: at least one caller, or anonymous');
  checkAllowed(
    shape,
    file,
    callers.map(({ id }) => id),
    problems,
  );
  return callers;
}

function checkAllowed(shape: ServiceShape, file: YamlFile, known: readonly string[], problems: ProblemList): void {
  for (const [index, { allowed_callers: allowed }] of shape.publications.entries()) {
    for (const [place, id] of allowed.entries()) {
      if (known.includes(id)) continue;
      const path = ['publications', index, 'allowed_callers', place];
      problems.add(file, path, `no caller is named "${id}"${didYouMean(id, known)}`);
    }
  }
}
