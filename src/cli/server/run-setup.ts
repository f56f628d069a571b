import { parseConfig } from '../../config/parse-config.ts';
import { EXIT } from '../exit-codes.ts';
import type { ServerFlags } from '../flags.ts';
import { temporalAddressOf } from './temporal-address.ts';
import { setUp } from './set-up.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';

export interface SetupFlags extends ServerFlags {
  readonly replaceStores?: boolean;
}

/** May be run any number of times. */
export async function runSetup(output: Output, flags: SetupFlags): Promise<ExitCode> {
  const config = await parseConfig({ env: process.env, flags, cwd: process.cwd(), role: 'worker' });
  const address = temporalAddressOf(config);
  const { namespace } = config.temporal;
  output.note(`Setting up namespace "${namespace}" at ${address}`);
  const { areStoresRecorded } = await setUp(config, address, { replaceStores: flags.replaceStores ?? false });
  output.json({ temporalAddress: address, namespace, ...config.storage, areStoresRecorded });
  output.say(`Namespace "${namespace}" and its search attributes are ready.`);
  output.say(`Stores: ${config.storage.payloadsDirectory}, ${config.storage.artifactsDirectory}`);
  if (!areStoresRecorded) {
    output.say(
      'The namespace may not be changed, so these folders are not recorded there: make sure yourself that all',
    );
    output.say('gateways and workers share them.');
  }
  return EXIT.ok;
}
