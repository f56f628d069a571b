/** Turns one question into three to six smaller ones, each with the words to search for. */
import type { Library, Search, Term } from './library/search.ts';
import { termsOf } from './library/search.ts';
import { stemOf, wordsOf } from './library/words.ts';

export type SubQuestion = Search & {
  /** `answer`, `answer-2`, `options`: the same for the same question. */
  readonly id: string;
  readonly text: string;
};

/** A longer question is read up to here. */
const QUESTION_CHARACTERS_MAX = 2_000;
const CLAUSES_MAX = 3;

/** What a reader wants to know next, whatever the question was. */
const ASPECTS: readonly (Omit<SubQuestion, 'terms' | 'packages' | 'text'> & {
  readonly ask: (subject: string) => string;
})[] = [
  {
    id: 'options',
    ask: (subject) => `Which options and defaults bear on ${subject}?`,
    beside: ['option', 'default', 'maximum', 'policy', 'timeout', 'config'],
    kind: 'declaration',
  },
  {
    id: 'limits',
    ask: (subject) => `What can go wrong with ${subject}?`,
    beside: ['error', 'fail', 'failure', 'throw', 'warning', 'never', 'limit'],
  },
  {
    id: 'example',
    ask: (subject) => `What does the code for ${subject} look like?`,
    beside: ['await', 'const', 'import', 'new'],
    kind: 'example',
  },
];

export interface QuestionPlan {
  /** Empty where the question holds no word that can be searched for. */
  readonly questions: readonly SubQuestion[];
  /** Words of the question that no document holds, and that were left aside. */
  readonly unknown: readonly string[];
}

/** With so many words left, those that no document holds are left aside: they are names of the caller's own. */
const KNOWN_TERMS_MIN = 3;

export function planQuestions(question: string, packages: readonly string[], library: Library): QuestionPlan {
  const text = shorten(question, QUESTION_CHARACTERS_MAX);
  const named = packagesNamedIn(text, packages);
  const about = (part: string): Term[] => {
    const terms = termsOf(part, library);
    // "Temporal" says where to look; it is no word to look for there.
    const others = terms.filter(({ word }) => !named.some((name) => nameParts(name).some((it) => isNamed(word, it))));
    return others.length > 0 ? others : terms;
  };
  const all = about(text);
  const known = all.filter((term) => isKnown(term, library));
  const terms = known.length < KNOWN_TERMS_MIN ? all : known;
  if (terms.length === 0) return { questions: [], unknown: [] };
  const searchable = (part: string) => about(part).filter(({ word }) => terms.some((term) => term.word === word));

  const scope = named.length > 0 ? { packages: named } : {};
  const clauses = clausesOf(text).filter((clause) => searchable(clause).length > 0);
  const direct = clauses.map((clause, index) => ({
    id: index === 0 ? 'answer' : `answer-${index + 1}`,
    text: capitalised(clause),
    terms: searchable(clause),
    beside: [],
    ...scope,
  }));
  const subject = listed(terms.slice(0, 3).map(({ word }) => originalOf(word, text)));
  const aspects = ASPECTS.map(({ ask, ...aspect }) => ({ ...aspect, text: ask(subject), terms, ...scope }));
  const unknown = all.filter((term) => !terms.includes(term)).map(({ word }) => originalOf(word, text));
  return { questions: [...direct, ...aspects], unknown };
}

function isKnown({ word, related }: Term, library: Library): boolean {
  return [word, ...related].some((it) => library.frequency(it) > 0);
}

/** Sentences, and halves of "… and how …": up to three. */
function clausesOf(text: string): string[] {
  const clauses = text
    .split(/(?<=[?!;.])\s+|\n+|,?\s+(?:and|or)\s+(?=(?:how|what|when|where|which|who|why|can|does|do|is)\b)/iu)
    .map((clause) => clause.trim())
    .filter((clause) => wordsOf(clause).length > 1);
  return (clauses.length > 0 ? clauses : [text.trim()]).slice(0, CLAUSES_MAX).map((clause) => shorten(clause, 160));
}

/** "Temporal" names all of `@temporalio`, "A2A" names `@a2a-js/sdk`. */
function packagesNamedIn(question: string, packages: readonly string[]): string[] {
  const words = wordsOf(question);
  return packages.filter((name) => nameParts(name).some((part) => words.some((word) => isNamed(word, part))));
}

/** What a person calls a package: its scope, or the name of one that has none. `client` alone would be too common a word. */
function nameParts(name: string): string[] {
  const [scope, rest] = name.startsWith('@') ? name.slice(1).split('/') : [name];
  if (scope === 'types') return rest === undefined ? [] : [rest];
  return (scope ?? '').split('-').filter((part) => part !== 'js' && part !== 'cache');
}

function isNamed(word: string, part: string): boolean {
  return word === part || (word.length > 4 && part.startsWith(word));
}

/** The word as it was typed. */
function originalOf(stem: string, text: string): string {
  return wordsOf(text).find((word) => stemOf(word) === stem) ?? stem;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** “activity”, “run” and “twice”. */
function listed(words: readonly string[]): string {
  const quoted = words.map((word) => `“${word}”`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} and ${last}`;
}

/** Whole characters, ended at a word where there is one. */
export function shorten(text: string, charactersMax: number): string {
  const characters = Array.from(text);
  if (characters.length <= charactersMax) return text;
  const cut = characters.slice(0, charactersMax - 1).join('');
  return `${cut.replace(/\s+\S{0,40}$/u, '')}…`;
}
