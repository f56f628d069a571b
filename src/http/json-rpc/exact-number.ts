/** A number as its sender wrote it; `JSON.stringify` writes it so again. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** In Node, and not in TypeScript's library yet: https://github.com/tc39/proposal-json-parse-with-source */
const exactJson = JSON as unknown as {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): ExactNumber;
};

/**
 * The number that is the value of `key` in the outermost object of a JSON text. A double holds 53 bits of it, and others have IDs
 * of 64.
 */
export function readExactNumber(json: string, key: string): ExactNumber | undefined {
  const sources = new Map<unknown, string>();
  const root = exactJson.parse(json, function (eachKey, value, { source }) {
    if (eachKey === key && source !== undefined) sources.set(this, source);
    return value;
  });
  const source = sources.get(root);
  return source === undefined ? undefined : exactJson.rawJSON(source);
}
