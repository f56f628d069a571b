import { createHash } from 'node:crypto';

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The ID itself where it is a harmless file name, otherwise a hash of it: no ID leads out of its folder. */
export function folderName(id: string): string {
  // `~` is in no plain name, so that a hash never meets an ID that looks like one.
  return PLAIN_NAME.test(id) ? id : `~${createHash('sha256').update(id).digest('hex')}`;
}
