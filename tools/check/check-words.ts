import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createSourceFile,
  forEachChild,
  isStringLiteralLike,
  isTemplateExpression,
  type Node,
  ScriptTarget,
} from 'typescript';
import { fieldTerms, narrativeWords } from './narrative-words.ts';

/** What the check found. */
export interface WordReport {
  /** How many files it read. */
  readonly files: number;
  /** One text per narrative word, naming its place and what to write instead. */
  readonly problems: readonly string[];
}

interface Passage {
  readonly line: number;
  readonly text: string;
}

const patterns = narrativeWords.map(([words, instead]) => ({
  pattern: new RegExp(String.raw`\b(?:${words})\b`, 'gi'),
  instead,
}));

/** The list itself, the tests of the check, and the glossary name the words that they are about. */
const isWordList = (path: string): boolean => path.startsWith('tools/check/') || path === 'docs/glossary.md';

/** Finds narrative words in the comments, sentences and Markdown that git tracks below `root`. */
export async function checkWords(root: string, minFiles: number): Promise<WordReport> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.md'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  const paths = stdout.split('\0').filter(path => path !== '' && !isWordList(path));
  const problems: string[] = [];
  for (const path of paths) {
    const source = await readFile(join(root, path), 'utf8');
    problems.push(...narrativeProblems(path, source), ...wideLines(path, source));
  }
  const tooFew = paths.length < minFiles ? [`only ${paths.length} files were read: the check itself is broken`] : [];
  return { files: paths.length, problems: [...tooFew, ...problems] };
}

/** The narrative words of one file's prose. */
export function narrativeProblems(path: string, source: string): readonly string[] {
  const passages = path.endsWith('.md') ? markdownPassages(source) : [...comments(source), ...messages(path, source)];
  return passages.flatMap(({ line, text }) => {
    const prose = fieldTerms.reduce((rest, term) => rest.replaceAll(term, ''), text);
    return patterns.flatMap(({ pattern, instead }) =>
      (prose.match(pattern) ?? []).map(word => `${path}:${line}: "${word}": better ${instead}`),
    );
  });
}

const maxColumns = 120;

/** The lines of Markdown that readers of a diff would have to scroll. Tables, headings and blocks of code cannot wrap. */
export function wideLines(path: string, source: string): readonly string[] {
  if (!path.endsWith('.md')) return [];
  return markdownPassages(source)
    .filter(({ text }) => text.length > maxColumns && !/^\s*[|#]/.test(text))
    .map(({ line }) => `${path}:${line}: wrap it at ${maxColumns} columns`);
}

function markdownPassages(source: string): readonly Passage[] {
  let isCode = false;
  return source.split('\n').flatMap((text, index) => {
    if (text.trimStart().startsWith('```')) isCode = !isCode;
    return isCode ? [] : [{ line: index + 1, text }];
  });
}

function comments(source: string): readonly Passage[] {
  return source.split('\n').flatMap((text, index) => {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$/.exec(text)?.[1] ?? /\s\/\/ (.*)$/.exec(text)?.[1];
    return comment === undefined ? [] : [{ line: index + 1, text: comment }];
  });
}

const testCode = /(?:^|\/)(?:test|bench)\/|\.test\.ts$|(?:^|\/)test-[^/]*\.ts$|-contract\.ts$/;

/** String literals of product code that are sentences: messages and help texts, but no keys or constants. */
function messages(path: string, source: string): readonly Passage[] {
  if (testCode.test(path)) return [];
  const file = createSourceFile(path, source, ScriptTarget.Latest);
  const found: Passage[] = [];
  const add = (node: Node, text: string): void => {
    if (!text.trim().includes(' ')) return;
    found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text });
  };
  const visit = (node: Node): void => {
    if (isStringLiteralLike(node)) add(node, node.text);
    else if (isTemplateExpression(node))
      add(node, [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…'));
    forEachChild(node, visit);
  };
  visit(file);
  return found;
}
