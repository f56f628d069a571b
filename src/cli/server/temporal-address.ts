import type { Configuration } from '../../config/configuration.ts';
import { CommandError } from '../command-error.ts';
import { commandName } from '../command-name.ts';
import { EXIT } from '../exit-codes.ts';

/** Only `up` starts a Temporal server of its own. @throws CommandError */
export function temporalAddressOf({ temporal }: Configuration): string {
  if (temporal.address !== undefined) return temporal.address;
  throw new CommandError(EXIT.usage, 'no-temporal', 'Where is Temporal?', {
    next: `Say it with --temporal-address or TEMPORAL_ADDRESS; "${commandName()} up" starts one of its own.`,
  });
}
