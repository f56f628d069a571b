/** Splits text into pieces of at most `bytesMax` bytes of UTF-8, never inside a code point. */
export function splitText(text: string, bytesMax: number): string[] {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.byteLength <= bytesMax) return [text];
  const pieces: string[] = [];
  let start = 0;
  while (start < bytes.byteLength) {
    let end = Math.min(start + bytesMax, bytes.byteLength);
    while (end < bytes.byteLength && isContinuation(bytes[end])) end -= 1;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

/** The first `charactersMax` characters of the text, whole code points, and `…` when something was left off. */
export function cutText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const isHighSurrogate = /[\uD800-\uDBFF]/.test(text.charAt(charactersMax - 1));
  return `${text.slice(0, isHighSurrogate ? charactersMax - 1 : charactersMax)}…`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
