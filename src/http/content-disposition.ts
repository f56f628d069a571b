/** RFC 6266: to be saved, under an ASCII name for old readers and the true one (RFC 8187) for all others. */
export function contentDisposition(filename: string): string {
  const name = filename.replace(/[\p{Cc}/\\]/gu, '_').toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
