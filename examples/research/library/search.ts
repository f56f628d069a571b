/** Full-text search over the passages of the chosen packages. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type MiniSearchClass from 'minisearch';
import type { InstalledPackage } from './packages.ts';
import { packageDirectory } from './packages.ts';
import type { Passage, PassageKind } from './passages.ts';
import { readPassages } from './passages.ts';
import { relatedTo, stemOf, wordsOf } from './words.ts';

/** One idea of a question, in the words that documents may use for it. */
export type Term = {
  readonly word: string;
  /** Same idea, other words: they count a little less. */
  readonly related: readonly string[];
};

export type Search = {
  readonly terms: readonly Term[];
  /** One of these must be there too, where any are given. */
  readonly beside: readonly string[];
  readonly kind?: PassageKind;
  /** Names of packages; all that were indexed unless said. */
  readonly packages?: readonly string[];
};

export interface Hit {
  readonly passage: Passage;
  readonly score: number;
  /** Stems that matched. */
  readonly matched: readonly string[];
}

/** A passage must hold this share of the question's terms, the rare ones counting more; of a long question, less. */
const COVERAGE_MIN = { short: 0.5, long: 0.35 };
const SHORT_TERMS_MAX = 4;
/** A word that is nowhere counts as one that is in so many passages. */
const UNKNOWN_FREQUENCY = 100;
const PER_FILE_MAX = 2;

export class Library {
  readonly passages: ReadonlyMap<string, Passage>;
  readonly #index: MiniSearchClass<Passage>;

  constructor(passages: ReadonlyMap<string, Passage>, index: MiniSearchClass<Passage>) {
    this.passages = passages;
    this.#index = index;
  }

  /** How many passages hold the word, and not just a word like it. */
  frequency(word: string): number {
    return this.#index.search(word, { prefix: false, fuzzy: false }).length;
  }

  /** Words of the documents that look like `word`: what a typing error may have meant. */
  similarWords(word: string): string[] {
    if (word.length < 4) return [];
    const found = this.#index.search(word, { prefix: word.length > 4, fuzzy: word.length > 5 ? 0.25 : false });
    return [...new Set(found.flatMap((result) => result.terms))].sort().slice(0, 3);
  }

  search({ terms, beside, kind, packages }: Search, limit: number): Hit[] {
    if (terms.length === 0) return [];
    const weights = terms.map((term) => this.#weight(term));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const besides = beside.flatMap((word) => stemOf(word) ?? []);
    const results = this.#index.search(
      {
        combineWith: 'OR',
        queries: [
          ...terms.map(({ word }) => ({ queries: [word], boost: { title: 3, text: 1 } })),
          ...terms.map(({ related }) => ({ queries: [...related], boost: { title: 1.5, text: 0.5 } })),
          { queries: besides, boost: { title: 0.5, text: 0.5 } },
        ],
      },
      {
        combineWith: 'OR',
        filter: ({ id }) => {
          const passage = this.passages.get(id as string);
          if (passage === undefined) return false;
          return (kind === undefined || passage.kind === kind) && (packages?.includes(passage.package) ?? true);
        },
      },
    );

    const coverageMin = terms.length <= SHORT_TERMS_MAX ? COVERAGE_MIN.short : COVERAGE_MIN.long;
    const hits: Hit[] = [];
    for (const { id, score, terms: matched } of results) {
      const passage = this.passages.get(id as string);
      const has = (word: string) => matched.includes(word);
      const covered = terms.reduce((sum, term, index) => {
        const share = has(term.word) ? 1 : term.related.some(has) ? 0.8 : 0;
        return sum + share * (weights[index] ?? 0);
      }, 0);
      const coverage = total === 0 ? 0 : covered / total;
      if (passage === undefined || coverage < coverageMin) continue;
      if (besides.length > 0 && !besides.some(has)) continue;
      hits.push({ passage, score: score * coverage ** 2 * substance(passage) * fitness(passage, kind), matched });
    }
    hits.sort((a, b) => b.score - a.score || (a.passage.id < b.passage.id ? -1 : 1));
    return spread(hits, limit);
  }

  /** Rare words say more about what is meant; but a word that no document holds may be a name of the caller's own. */
  #weight({ word }: Term): number {
    const found = this.frequency(word) || UNKNOWN_FREQUENCY;
    return Math.log(1 + this.passages.size / found);
  }
}

/** Three words are a label, not an answer. */
function substance({ text }: Passage): number {
  return Math.min(1, 0.3 + text.length / 200);
}

/** Where any kind will do, words say more than code. */
function fitness(passage: Passage, kind: PassageKind | undefined): number {
  return kind === undefined && passage.kind === 'example' ? 0.7 : 1;
}

/** The best ones, but no file more than twice, and no text twice. */
function spread(hits: readonly Hit[], limit: number): Hit[] {
  const perFile = new Map<string, number>();
  const texts = new Set<string>();
  const chosen: Hit[] = [];
  for (const hit of hits) {
    const { file, text } = hit.passage;
    const taken = perFile.get(file) ?? 0;
    if (taken === PER_FILE_MAX || texts.has(text)) continue;
    perFile.set(file, taken + 1);
    texts.add(text);
    chosen.push(hit);
    if (chosen.length === limit) break;
  }
  return chosen;
}

const libraries = new Map<string, Promise<Library>>();

/** Opened once per process and set of packages: every stage and element reads the same one. About a second for all. */
export function openLibrary(packages: readonly InstalledPackage[]): Promise<Library> {
  const key = packages.map(({ name, version }) => `${name}@${version}`).join(' ');
  const opened = libraries.get(key) ?? buildLibrary(packages);
  libraries.set(key, opened);
  opened.catch(() => libraries.delete(key));
  return opened;
}

async function buildLibrary(packages: readonly InstalledPackage[]): Promise<Library> {
  const passages = new Map<string, Passage>();
  for (const installed of packages) {
    for (const passage of await readPassages(installed)) passages.set(passage.id, passage);
  }
  const MiniSearch = await loadMiniSearch();
  const index = new MiniSearch<Passage>({
    fields: ['title', 'text'],
    storeFields: [],
    tokenize: wordsOf,
    processTerm: stemOf,
    searchOptions: { tokenize: (text) => text.split(' '), processTerm: (word) => word },
  });
  await index.addAllAsync([...passages.values()], { chunkSize: 200 }); // leaves the event loop free for heartbeats
  return new Library(passages, index);
}

/** A dependency of Longhaul: also found when this folder was copied to a place with no node_modules of its own. */
async function loadMiniSearch(): Promise<typeof MiniSearchClass> {
  const directory = packageDirectory('minisearch');
  if (directory === undefined) throw new Error('The package minisearch is not installed');
  const loaded = (await import(pathToFileURL(join(directory, 'dist/es/index.js')).href)) as {
    default: typeof MiniSearchClass;
  };
  return loaded.default;
}

/** The words of a question that say what it is about, each once, in their order. */
export function termsOf(question: string, library: Library): Term[] {
  const stems = [...new Set(wordsOf(question).flatMap((word) => stemOf(word) ?? []))];
  return stems.slice(0, TERMS_MAX).flatMap((word) => {
    const known = library.frequency(word) > 0;
    const related = [...relatedTo(word), ...(known ? [] : library.similarWords(word))];
    return [{ word, related: [...new Set(related)] }];
  });
}

const TERMS_MAX = 12;
