const ellipsis = '...';

/** The text cut to `width` characters, with `...` where something is missing. */
export function abbreviate(text: string, offset: number, width: number): string {
  if (width < 4) return text;
  return text.length <= width && offset < 4 ? text : cut(text, offset, width);
}

export function abbreviateBoth(text: string, left: number, right: number): string {
  if (right < 4 || (left > 0 && right < 7)) return text;
  return text.length <= right ? text : cut(text, left, right);
}

function cut(text: string, offset: number, width: number): string {
  let start = Math.min(offset, text.length);
  if (text.length - start < width - 3) start = text.length - (width - 3);
  if (start <= 4) return text.slice(0, width - 3) + ellipsis;
  if (start + width - 3 < text.length) return ellipsis + cut(text.slice(start), 0, width - 3);
  return ellipsis + text.slice(text.length - (width - 3));
}

/** The first letters of all words. */
export const initials = (text: string): string =>
  text
    .split(/\s+/u)
    .map(word => Array.from(word)[0] ?? '')
    .join('');

/** Breaks a text into lines of `width` characters, at blanks. */
export function wrapText(text: string, width: number, newline: string, breaksWords: boolean): string {
  const size = Math.max(1, width);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > size) {
    if (rest.startsWith(' ')) {
      rest = rest.slice(1);
      continue;
    }
    const { line, skip } = nextLine(rest, size, breaksWords);
    lines.push(line);
    rest = rest.slice(line.length + skip);
  }
  return [...lines, rest].join(newline === '' ? '\n' : newline);
}

function nextLine(rest: string, size: number, breaksWords: boolean): { line: string; skip: number } {
  const blank = rest.slice(0, size + 1).lastIndexOf(' ');
  if (blank > 0) return { line: rest.slice(0, blank), skip: 1 };
  if (breaksWords) return { line: rest.slice(0, size), skip: 0 };
  const after = rest.indexOf(' ', size);
  return after < 0 ? { line: rest, skip: 0 } : { line: rest.slice(0, after), skip: 1 };
}

/** Go's `%q`. */
export function goQuote(text: string): string {
  const escaped = Array.from(text, character => {
    const code = character.codePointAt(0) ?? 0;
    const simple = {
      '"': String.raw`\"`,
      '\\': String.raw`\\`,
      '\n': String.raw`\n`,
      '\t': String.raw`\t`,
      '\r': String.raw`\r`,
    }[character];
    if (simple !== undefined) return simple;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
    return character;
  });
  return `"${escaped.join('')}"`;
}
