import type { ExtensionConfiguration } from '../config/configuration.ts';

/**
 * A2A 1.0 §3.2.6, §4.6: which extensions the client uses, and which of them this agent has; the others are let be.
 * @param text of `A2A-Extensions`: URIs between commas
 */
export function negotiateExtensions(
  text: string,
  offered: readonly ExtensionConfiguration[],
): { readonly declared: readonly string[]; readonly active: readonly string[] } {
  const declared = text
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '');
  return { declared, active: offered.filter(({ uri }) => declared.includes(uri)).map(({ uri }) => uri) };
}
