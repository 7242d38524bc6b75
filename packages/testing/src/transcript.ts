import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { runProcess } from './run-process.ts';
import { formatTranscript, parseTranscript, type TranscriptPart, type TranscriptStep } from './transcript-format.ts';
import { fillIn, matchLine, matchOutput, rewriteExpected, type Variables } from './transcript-match.ts';

/** Where and with what a story is played. */
export interface TranscriptOptions {
  /** Where commands run. Default: the current folder. */
  readonly cwd?: string;
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Values known from the start, written `<?name>` in commands and expectations. */
  readonly variables?: Variables;
  /** Rewrite what differs instead of failing. Default: whether `CHANDLERY_UPDATE=1` is set. */
  readonly update?: boolean;
  /** For each command. Default 60 000. */
  readonly timeoutMs?: number;
}

interface Played {
  readonly part: TranscriptPart;
  readonly variables: Variables;
}

/**
 * Plays a story file: runs each command in a shell and compares what it prints and its exit code.
 *
 * The first difference fails with a diff that names file and line. When updating, the file is rewritten with what the
 * commands really print; read the difference before you keep it. Returns the variables known at the end.
 */
export async function runTranscript(file: string, options: TranscriptOptions = {}): Promise<Variables> {
  const { update = process.env.CHANDLERY_UPDATE === '1' } = options;
  const before = await readFile(file, 'utf8');
  const parts: TranscriptPart[] = [];
  let variables = options.variables ?? {};
  for (const part of parseTranscript(before)) {
    const played = part.type === 'text' ? { part, variables } : await play(part, variables, { file, update, options });
    parts.push(played.part);
    variables = played.variables;
  }
  const after = formatTranscript(parts);
  if (update && after !== before) await writeFile(file, after);
  return variables;
}

interface Stage {
  readonly file: string;
  readonly update: boolean;
  readonly options: TranscriptOptions;
}

async function play(part: TranscriptPart & { type: 'step' }, variables: Variables, stage: Stage): Promise<Played> {
  const { step } = part;
  const { lines, code } = await runInShell(fillIn(step.command, variables), stage.options);
  const matched = matchOutput(step.expected, lines, variables);
  if (matched !== undefined && code === step.exitCode) return { part, variables: matched };
  if (!stage.update) throw difference(step, { lines, code }, variables, stage.file);
  const expected = matched === undefined ? rewriteExpected(step.expected, lines, variables) : step.expected;
  return { part: { ...part, step: { ...step, expected, exitCode: code } }, variables: matched ?? variables };
}

interface Printed {
  readonly lines: readonly string[];
  readonly code: number;
}

/** Both streams go into one pipe, so that lines keep the order in which they were printed. */
async function runInShell(command: string, { cwd, env, timeoutMs }: TranscriptOptions): Promise<Printed> {
  const { stdout, code } = await runProcess('/bin/sh', ['-c', `exec 2>&1\n${command}`], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const printed = stdout.replace(/\s+$/, '');
  return { lines: printed === '' ? [] : printed.split('\n').map(line => line.trimEnd()), code };
}

function difference(step: TranscriptStep, printed: Printed, variables: Variables, file: string): assert.AssertionError {
  // Lines that hold are shown as they were printed, so that the diff has only the lines that matter.
  const wanted = step.expected.map((pattern, index) => {
    const line = printed.lines[index] ?? '';
    return matchLine(pattern, line, variables) === undefined ? fillIn(pattern, variables) : line;
  });
  const actual = [...printed.lines, `[exit ${printed.code}]`];
  const expected = [...wanted, `[exit ${step.exitCode}]`];
  const diff = new assert.AssertionError({ actual, expected, operator: 'deepStrictEqual' });
  return new assert.AssertionError({
    message: `${file}:${step.line}: $ ${step.command}\n${diff.message}\nit printed:\n${actual.join('\n')}`,
    actual,
    expected,
    operator: 'transcript',
  });
}
