/** A quote and the place that it was read from; and the proof that it stands there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit } from './library/search.ts';
import { packageDirectory } from './library/packages.ts';
import { withoutMarks } from './library/passages.ts';
import { stemOf, wordsOf } from './library/words.ts';

export type Finding = {
  /** Words of one line, as they stand there. */
  readonly quote: string;
  readonly line: number;
  /** The passage around it: lines `firstLine` to `endLine`, comment marks and line breaks left out. */
  readonly passage: string;
  readonly firstLine: number;
  readonly endLine: number;
  readonly title: string;
  readonly kind: 'prose' | 'declaration' | 'example';
  /** Below node_modules. */
  readonly file: string;
  readonly package: string;
  readonly version: string;
  readonly score: number;
};

/** As in the report's payload. */
export type Citation = Pick<Finding, 'package' | 'version' | 'file' | 'line' | 'endLine' | 'quote' | 'passage'> & {
  readonly number: number;
};

const QUOTE_CHARACTERS_MAX = 240;
const PASSAGE_CHARACTERS_MAX = 700;
const EXAMPLE_CHARACTERS_MAX = 1_500;
/** Shorter ones are ends of sentences, or brackets. */
const LINE_CHARACTERS_MIN = 20;

/** Quotes the line of the passage that says most about what was searched for. */
export function quote({ passage, score, matched }: Hit): Finding {
  const lines = passage.text.split('\n');
  const counts = lines.map((line) => {
    if (line.trim().length < LINE_CHARACTERS_MIN) return 0;
    const stems = new Set(wordsOf(line).flatMap((word) => stemOf(word) ?? []));
    return matched.filter((word) => stems.has(word)).length;
  });
  const best = Math.max(0, counts.indexOf(Math.max(...counts)));
  const { file, package: name, version, title, kind } = passage;
  return {
    quote: cut((lines[best] ?? '').trim(), QUOTE_CHARACTERS_MAX),
    line: passage.line + best,
    passage:
      kind === 'example'
        ? cutLines(passage.text, EXAMPLE_CHARACTERS_MAX)
        : cut(oneLine(passage.text), PASSAGE_CHARACTERS_MAX),
    firstLine: passage.line,
    endLine: passage.endLine,
    title,
    kind,
    file,
    package: name,
    version,
    score: Math.round(score * 100) / 100,
  };
}

/** Reads the file again: the quote stands on its line, and the passage on the lines around it. */
export async function isVerified(
  finding: Pick<Finding, 'file' | 'package' | 'line' | 'endLine' | 'quote' | 'passage'>,
): Promise<boolean> {
  const directory = packageDirectory(finding.package);
  if (directory === undefined || finding.quote === '') return false;
  const content = await readFile(join(directory, finding.file.slice(finding.package.length + 1)), 'utf8').catch(
    () => '',
  );
  const lines = content.split(/\r?\n/);
  const around = lines
    .slice(Math.max(0, finding.line - 40), finding.endLine)
    .map(withoutMarks)
    .join('\n');
  return (lines[finding.line - 1] ?? '').includes(finding.quote) && oneLine(around).includes(oneLine(finding.passage));
}

/** Ends at a sentence or a word; what remains is still verbatim. */
function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = text.slice(0, charactersMax);
  const sentence = head.lastIndexOf('. ');
  return sentence > charactersMax / 2 ? head.slice(0, sentence + 1) : head.replace(/\s+\S*$/u, '');
}

/** Code is cut between lines. */
function cutLines(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return text.slice(0, charactersMax).replace(/\n[^\n]*$/, '');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
