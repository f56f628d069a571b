import type { Part } from './a2a.ts';
import type { Publication } from './pipeline.ts';

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';
const BYTES = 'application/octet-stream';

/** What a publication takes: as it says, else text and data, or data alone where its schema leaves no place for text. */
export function inputModesOf({ inputModes, inputSchema, textInput }: Publication): readonly string[] {
  if (inputModes !== undefined) return inputModes;
  return inputSchema === undefined || textInput !== undefined ? [TEXT, JSON_TYPE] : [JSON_TYPE];
}

export function outputModesOf({ outputModes, plain }: Publication): readonly string[] {
  return outputModes ?? (plain ? [TEXT, JSON_TYPE] : [JSON_TYPE, TEXT]);
}

/** Lower case and without parameters; a part that does not say is what its content is. */
export function mediaTypeOf({ mediaType, text, data }: Part): string {
  const [type = ''] = (mediaType ?? '').split(';');
  if (type.trim() !== '') return type.trim().toLowerCase();
  if (text !== undefined) return TEXT;
  return data === undefined ? BYTES : JSON_TYPE;
}

/** `modes` may end in a star: `image/*`. */
export function isAmong(modes: readonly string[], mediaType: string): boolean {
  return modes.some((mode) => mode === mediaType || (mode.endsWith('/*') && mediaType.startsWith(mode.slice(0, -1))));
}
