const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** RFC 4648 §5 without padding, of ASCII text: the workflow sandbox has neither `Buffer` nor `btoa`. */
export function encodeBase64Url(ascii: string): string {
  let encoded = '';
  for (let at = 0; at < ascii.length; at += 3) {
    const bytes = [0, 1, 2].map((offset) => ascii.charCodeAt(at + offset));
    const [first = 0, second = Number.NaN, third = Number.NaN] = bytes;
    const bits = (first << 16) | ((second || 0) << 8) | (third || 0);
    const length = Number.isNaN(second) ? 2 : Number.isNaN(third) ? 3 : 4;
    for (let index = 0; index < length; index += 1) encoded += ALPHABET[(bits >> (18 - 6 * index)) & 63] ?? '';
  }
  return encoded;
}

/** undefined when it is no base64url of ASCII text. */
export function decodeBase64Url(encoded: string): string | undefined {
  if (encoded.length % 4 === 1) return undefined;
  let bits = 0;
  let held = 0;
  let ascii = '';
  for (const character of encoded) {
    const value = ALPHABET.indexOf(character);
    if (value === -1) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      const code = (bits >> held) & 255;
      if (code > 127) return undefined;
      ascii += String.fromCharCode(code);
      bits &= (1 << held) - 1;
    }
  }
  return ascii;
}
