/** Values that a story knows by name. */
export type Variables = Readonly<Record<string, string>>;

const placeholder = /<any>|<\?([A-Za-z]\w*)>/g;

/** Puts known values in place of `<?name>`; unknown ones stay as they are. */
export function fillIn(text: string, variables: Variables): string {
  return text.replace(placeholder, (whole, name?: string) => (name === undefined ? whole : (variables[name] ?? whole)));
}

/**
 * Compares output with what a story expects. Returns the variables known afterwards, or `undefined` when it differs.
 *
 * A line `...` stands for any number of lines, `<any>` for any text within a line, `<?name>` for a word that is learnt
 * where it is first seen and must be the same from then on.
 */
export function matchOutput(
  expected: readonly string[],
  actual: readonly string[],
  variables: Variables,
): Variables | undefined {
  const [pattern, ...laterPatterns] = expected;
  if (pattern === undefined) return actual.length === 0 ? variables : undefined;
  if (pattern === '...') {
    for (let skipped = 0; skipped <= actual.length; skipped += 1) {
      const matched = matchOutput(laterPatterns, actual.slice(skipped), variables);
      if (matched !== undefined) return matched;
    }
    return undefined;
  }
  const [line, ...laterLines] = actual;
  const learnt = line === undefined ? undefined : matchLine(pattern, line, variables);
  return learnt === undefined ? undefined : matchOutput(laterPatterns, laterLines, learnt);
}

/** Compares one line; see `matchOutput`. */
export function matchLine(pattern: string, line: string, variables: Variables): Variables | undefined {
  const found = lineRegExp(pattern, variables).exec(line);
  if (found === null) return undefined;
  return { ...variables, ...found.groups };
}

/** A name is captured once; its further uses in the same line refer back to it. */
function lineRegExp(pattern: string, variables: Variables): RegExp {
  const captured = new Set<string>();
  const source = pattern.split(/(<any>|<\?[A-Za-z]\w*>)/).map((piece, index) => {
    if (index % 2 === 0) return RegExp.escape(piece);
    if (piece === '<any>') return '.+?';
    const name = piece.slice(2, -1);
    const known = variables[name];
    if (known !== undefined) return RegExp.escape(known);
    if (captured.has(name)) return `\\k<${name}>`;
    captured.add(name);
    return `(?<${name}>\\S+?)`;
  });
  return new RegExp(`^${source.join('')}$`, 'u');
}

/**
 * What a story should expect, given what was really printed: lines that still hold stay as they were written, known
 * values become `<?name>` again.
 */
export function rewriteExpected(
  expected: readonly string[],
  actual: readonly string[],
  variables: Variables,
): readonly string[] {
  return actual.map((line, index) => {
    const before = expected[index];
    if (before !== undefined && before !== '...' && matchLine(before, line, variables) !== undefined) return before;
    return nameValues(line, variables);
  });
}

/** Longest values first, so that one that contains another wins. Very short ones would be found everywhere. */
function nameValues(line: string, variables: Variables): string {
  const known = Object.entries(variables).filter(([, value]) => value.length > 2);
  known.sort(([, left], [, right]) => right.length - left.length);
  return known.reduce((text, [name, value]) => text.replaceAll(value, `<?${name}>`), line);
}
