/** Reads a package's documents and cuts them into passages that are small enough to quote. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { InstalledPackage } from './packages.ts';

/** Bounds per package: the largest of the list stays well below them. */
const FILES_MAX = 200;
const FILE_BYTES_MAX = 400_000;
const PACKAGE_BYTES_MAX = 2_000_000;
const PASSAGE_LINES_MAX = 12;
const EXAMPLE_LINES_MAX = 30;

/** Sources, translations and second builds say nothing that the declarations do not. */
const SKIPPED_FOLDERS = new Set([
  'node_modules',
  'src',
  'vendor',
  'locales',
  'cjs',
  'commonjs',
  'v3',
  'compat',
  'test',
  'tests',
]);

export type PassageKind = 'prose' | 'declaration' | 'example';

export interface Passage {
  /** `file:line`, unique. */
  readonly id: string;
  readonly package: string;
  readonly version: string;
  /** Below node_modules, with forward slashes. */
  readonly file: string;
  /** First and last line, counted from 1. */
  readonly line: number;
  readonly endLine: number;
  readonly kind: PassageKind;
  /** Heading that it stands under, or name of what it declares. */
  readonly title: string;
  readonly text: string;
}

type Cut = Pick<Passage, 'line' | 'endLine' | 'kind' | 'title' | 'text'>;

export async function readPassages(installed: InstalledPackage): Promise<Passage[]> {
  const passages: Passage[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const path of (await documentsIn(installed.directory)).slice(0, FILES_MAX)) {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX || bytes + size > PACKAGE_BYTES_MAX) continue;
    bytes += size;
    const content = await readFile(path, 'utf8');
    const digest = createHash('sha256').update(content).digest('base64');
    if (seen.has(digest)) continue; // the same declarations, once per build
    seen.add(digest);
    const file = `${installed.name}/${relative(installed.directory, path).split(sep).join('/')}`;
    const lines = content.split(/\r?\n/);
    for (const cut of path.endsWith('.md') ? cutMarkdown(lines) : cutDeclarations(lines)) {
      const { name, version } = installed;
      passages.push({ id: `${file}:${cut.line}`, package: name, version, file, ...cut });
    }
  }
  return passages;
}

/** Absolute paths, READMEs first, then by name: the same order on every machine. */
async function documentsIn(directory: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [directory];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) folders.push(path);
      if (entry.isFile() && /\.(md|d\.ts)$/.test(entry.name) && !/^(changelog|license)/i.test(entry.name))
        found.push(path);
    }
  }
  const rank = (path: string) => `${path.endsWith('.md') ? 0 : 1}${path}`;
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Paragraphs and code blocks, each under the headings that it stands below. */
export function cutMarkdown(lines: readonly string[]): Cut[] {
  const cuts: Cut[] = [];
  const headings: string[] = [];
  let block: string[] = [];
  let fenced = false;

  const close = (end: number, kind: PassageKind) => {
    const text = block.join('\n').trimEnd();
    // Badges and rules are no prose.
    if (/\p{L}{3}/u.test(text) && !/^(\[?!\[|<|\||---)/.test(text)) {
      const title = headings.filter((heading) => heading !== '').join(' › ');
      cuts.push({ line: end - block.length + 1, endLine: end, kind, title, text });
    }
    block = [];
  };

  for (const [index, line] of lines.entries()) {
    const fence = /^\s*(```|~~~)/.test(line);
    const heading = fenced ? null : /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (fence || heading || (!fenced && line.trim() === '') || block.length === linesMax(fenced)) {
      close(index, fenced ? 'example' : 'prose');
    }
    if (fence) fenced = !fenced;
    else if (heading?.[1] !== undefined && heading[2] !== undefined) {
      const depth = heading[1].length;
      headings.splice(depth - 1);
      while (headings.length < depth - 1) headings.push('');
      headings.push(plain(heading[2]));
    } else if (fenced || line.trim() !== '') block.push(line);
  }
  close(lines.length, fenced ? 'example' : 'prose');
  return cuts;
}

/** Doc comments, each under the name of what it documents; long ones by their paragraphs. */
export function cutDeclarations(lines: readonly string[]): Cut[] {
  const cuts: Cut[] = [];
  let parent = '';
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    parent =
      /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|namespace|type|enum)\s+(\w+)/.exec(line)?.[1] ??
      parent;
    if (line === '}') parent = '';
    if (!/^\s*\/\*\*/.test(line)) continue;
    let end = index;
    while (end < lines.length - 1 && !(lines[end] ?? '').includes('*/')) end += 1;
    const name = declaredName(lines[end + 1] ?? '');
    const indented = /^\s/.test(line) && parent !== '';
    const title = indented && name !== '' ? `${parent}.${name}` : name || parent;
    cuts.push(...cutComment(lines, index, end, title));
    index = end;
  }
  return cuts;
}

function cutComment(lines: readonly string[], first: number, last: number, title: string): Cut[] {
  const cuts: Cut[] = [];
  let start = -1;
  let fenced = false;
  let kind: PassageKind = 'declaration';

  const close = (end: number) => {
    if (start === -1) return;
    const text = textOf(lines, start, end + 1);
    if (/\p{L}{3}/u.test(text) && !/^@(internal|hidden|deprecated|experimental)\s*$/.test(text)) {
      cuts.push({ line: start + 1, endLine: end + 1, kind, title, text });
    }
    start = -1;
  };

  for (let index = first; index <= last; index += 1) {
    const text = withoutMarks(lines[index] ?? '').trim();
    const fence = text.startsWith('```');
    const ends = fence || (!fenced && (text === '' || /^@example\b/.test(text))) || index - start === linesMax(fenced);
    if (ends) close(index - 1);
    if (fence) fenced = !fenced;
    kind = fenced ? 'example' : 'declaration';
    if (start === -1 && !fence && text !== '' && text !== '@example') start = index;
  }
  close(last);
  return joinShort(cuts, lines);
}

/** A short comment is one passage: its paragraphs and tags are read together. */
function joinShort(cuts: Cut[], lines: readonly string[]): Cut[] {
  const [head, ...rest] = cuts;
  const tail = rest.at(-1);
  if (head === undefined || tail === undefined) return cuts;
  if (tail.endLine - head.line >= PASSAGE_LINES_MAX || rest.some((cut) => cut.kind === 'example')) return cuts;
  // All lines from first to last, the empty ones too: the line of a quote is counted from the passage's first.
  const text = textOf(lines, head.line - 1, tail.endLine);
  return [{ ...head, endLine: tail.endLine, text }];
}

/** Lines `start` to `end` (not included), as `slice` counts. */
function textOf(lines: readonly string[], start: number, end: number): string {
  return lines.slice(start, end).map(withoutMarks).join('\n').trimEnd();
}

function declaredName(line: string): string {
  if (/^\s*(import\b|export [*{])/.test(line)) return '';
  const bare = line
    .trim()
    .replace(/^((export|declare|default|abstract|static|readonly|private|protected|public|async|get|set) )*/, '')
    .replace(/^(interface|class|function|const|let|type|enum|namespace) /, '');
  return /^['"]?([\w$]+)/.exec(bare)?.[1] ?? '';
}

/** A line without the marks of a doc comment; the indentation within the comment is kept, for code. */
export function withoutMarks(line: string): string {
  return line
    .replace(/^\s*\/\*\*+\s?/, '')
    .replace(/\*\/\s*$/, '')
    .replace(/^\s*\*(?!\*)\s?/, '')
    .trimEnd();
}

function linesMax(fenced: boolean): number {
  return fenced ? EXAMPLE_LINES_MAX : PASSAGE_LINES_MAX;
}

function plain(heading: string): string {
  return heading
    .replace(/<[^>]*>|[`*_]/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();
}
