import { parseConfig } from '../../config/parse-config.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import { temporalAddressOf } from './temporal-address.ts';
import { setUp } from './set-up.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';

/** May be run any number of times. */
export async function runSetup(output: Output, flags: ServerFlags): Promise<ExitCode> {
  const config = await parseConfig({ env: process.env, flags, cwd: process.cwd(), role: 'worker' });
  const address = temporalAddressOf(config);
  const { namespace } = config.temporal;
  output.note(`Setting up namespace "${namespace}" at ${address}`);
  await setUp(config, address);
  output.json({ temporalAddress: address, namespace, ...config.storage });
  output.say(`Namespace "${namespace}" and its search attributes are ready.`);
  output.say(`Stores: ${config.storage.payloadsDirectory}, ${config.storage.artifactsDirectory}`);
  return EXIT.ok;
}
