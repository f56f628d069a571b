import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const EXAMPLE = join(import.meta.dirname, '../../examples/research');

/** The publication of examples/research as it stands there, for a deployment whose folder is another. */
export async function researchPublication({ allowedCallers }: { allowedCallers: readonly string[] }): Promise<string> {
  const service = parse(await readFile(join(EXAMPLE, 'a2a.yaml'), 'utf8')) as { publications: { id: string }[] };
  const research = service.publications.find(({ id }) => id === 'research');
  return stringify([{ ...research, project_root: EXAMPLE, allowed_callers: allowedCallers }]);
}
