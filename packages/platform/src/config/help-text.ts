/** The width of all help. */
const textWidth = 80;

/** Breaks a text into lines of at most a width, between words; later lines begin with `indent`. */
export const wrap = (text: string, width = textWidth, indent = ''): string[] => fill(text.split(/ +/), width, indent);

function fill(words: readonly string[], width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A list of terms and what they mean, the meanings aligned; a long term stands on a line of its own. */
export function definitions(rows: readonly (readonly [term: string, meaning: string])[], maxTerm = 28): string[] {
  const fitting = rows.map(([term]) => term.length).filter(length => length <= maxTerm);
  const column = Math.max(8, ...fitting) + 4;
  return rows.flatMap(([term, meaning]) => {
    const [first = '', ...others] = wrap(meaning, textWidth - column);
    const isLong = term.length > maxTerm;
    const head = isLong ? [`  ${term}`, `${' '.repeat(column)}${first}`] : [`  ${term}`.padEnd(column) + first];
    return [...head, ...others.map(line => `${' '.repeat(column)}${line}`)].map(line => line.trimEnd());
  });
}

/** A command line over several lines, as a shell reads it: what is quoted is not broken. */
export function wrapCommand(text: string, indent: string): string[] {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  const lines = fill(words, textWidth - indent.length - 2, '    ');
  return lines.map((line, index) => `${indent}${line}${index < lines.length - 1 ? ' \\' : ''}`);
}
