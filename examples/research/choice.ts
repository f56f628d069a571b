/** Reads an answer such as "temporal, zod" or "all of them" against the packages that there are. */

export interface Choice {
  /** In the order in which they were offered. */
  readonly packages: string[];
  /** As typed. */
  readonly unknown: string[];
}

const ALL = /^(all|any|everything|every|\*)$/i;
const FILLERS = /^(and|or|the|of|them|please|only|just|packages?|in|search|with|plus|also|both|&|\+)$/i;
const UNKNOWN_MAX = 10;

/** Names match whole, by scope (`@temporalio`), or by how one of their parts begins (`temporal`). Case does not matter. */
export function choosePackages(answer: string, installed: readonly string[]): Choice {
  const words = answer
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^["'`(]+|["'`).!?]+$/g, '').replace(/\/\*?$/, ''))
    .filter((word) => word !== '' && !FILLERS.test(word));
  if (words.some((word) => ALL.test(word))) return { packages: [...installed], unknown: [] };

  const chosen = new Set<string>();
  const unknown: string[] = [];
  for (const word of words) {
    const matches = matching(word.toLowerCase(), installed);
    matches.forEach((name) => chosen.add(name));
    if (matches.length === 0) unknown.push(Array.from(word).slice(0, 60).join(''));
  }
  return { packages: installed.filter((name) => chosen.has(name)), unknown: unknown.slice(0, UNKNOWN_MAX) };
}

function matching(word: string, installed: readonly string[]): string[] {
  if (installed.includes(word)) return [word];
  const byScope = installed.filter((name) => name.split('/')[0] === word || name.split('/')[0] === `@${word}`);
  if (byScope.length > 0) return byScope;
  if (word.length < 3) return [];
  return installed.filter((name) => name.split(/[@/-]+/).some((part) => part !== 'types' && part.startsWith(word)));
}
