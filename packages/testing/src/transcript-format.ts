/** One command of a story and what it must print. */
export interface TranscriptStep {
  /** The line of the file, from 1, on which the command begins. */
  readonly line: number;
  readonly command: string;
  /** May contain `...` lines, `<any>` and `<?name>`. */
  readonly expected: readonly string[];
  readonly exitCode: number;
}

/** A story: steps, and between them comments and blank lines that are kept as they are. */
export type TranscriptPart =
  | { readonly type: 'text'; readonly line: string }
  | { readonly type: 'step'; readonly step: TranscriptStep; readonly blankAfter: number };

const exitLine = /^\[exit (\d+)\]$/;

/**
 * Reads a story.
 *
 * `# …` is a comment, `$ …` a command, `> …` right below it its next line, anything else what the command prints on
 * either stream, `[exit N]` at the end its exit code when that is not 0. Blank lines before the next command or
 * comment belong to the layout. An output line that would be taken for one of these begins with a backslash.
 */
export function parseTranscript(text: string): TranscriptPart[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const parts: TranscriptPart[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    if (!line.startsWith('$ ')) {
      parts.push({ type: 'text', line });
      at += 1;
      continue;
    }
    const end = endOfStep(lines, at + 1);
    parts.push(parseStep(lines.slice(at, end), at + 1));
    at = end;
  }
  return parts;
}

function endOfStep(lines: readonly string[], from: number): number {
  const length = lines.slice(from).findIndex(line => line.startsWith('$ ') || line === '#' || line.startsWith('# '));
  return length < 0 ? lines.length : from + length;
}

function parseStep([first = '', ...rest]: readonly string[], line: number): TranscriptPart {
  const outputAt = rest.findIndex(next => !isContinuation(next));
  const continued = outputAt < 0 ? rest : rest.slice(0, outputAt);
  const body = outputAt < 0 ? [] : rest.slice(outputAt);
  const output = body.slice(0, body.findLastIndex(next => next !== '') + 1);
  const exitCode = exitLine.exec(output.at(-1) ?? '')?.[1];
  return {
    type: 'step',
    blankAfter: body.length - output.length,
    step: {
      line,
      command: [first.slice(2), ...continued.map(next => next.slice(2))].join('\n'),
      expected: (exitCode === undefined ? output : output.slice(0, -1)).map(unescapeLine),
      exitCode: Number(exitCode ?? 0),
    },
  };
}

const isContinuation = (line: string): boolean => line === '>' || line.startsWith('> ');

/** Writes a story; the opposite of `parseTranscript`. */
export function formatTranscript(parts: readonly TranscriptPart[]): string {
  return `${parts.flatMap(formatPart).join('\n')}\n`;
}

function formatPart(part: TranscriptPart): string[] {
  if (part.type === 'text') return [part.line];
  const { command, expected, exitCode } = part.step;
  const commandLines = command.split('\n').map((line, index) => (index === 0 ? `$ ${line}` : `> ${line}`.trimEnd()));
  const exit = exitCode === 0 ? [] : [`[exit ${exitCode}]`];
  return [...commandLines, ...expected.map(escapeLine), ...exit, ...Array.from({ length: part.blankAfter }, () => '')];
}

const escapeLine = (line: string): string =>
  /^(?:[$#>](?: |$)|\\)/.test(line) || exitLine.test(line) ? `\\${line}` : line;

const unescapeLine = (line: string): string => (line.startsWith('\\') ? line.slice(1) : line);
