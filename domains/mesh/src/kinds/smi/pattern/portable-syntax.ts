/** The deepest nesting of groups: the WebAssembly build of RE2, which gRPC for Node.js uses, aborts on deeper ones. */
const maxDepth = 100;

/** Unicode categories and scripts that every version of RE2 knows. */
const unicodeClass =
  /^(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cfo]?|Latin|Greek|Cyrillic|Han|Hiragana|Katakana|Hangul|Arabic|Hebrew|Thai|Devanagari|Armenian|Georgian)$/;

/** Splits a pattern into escapes, character classes, heads of groups, and single characters. */
const token =
  /\\[pP](?:\{\^?\w*\}|.)|\\x\{[0-9A-Fa-f]*\}|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w*:\]|[^\]\\])*\]|\(\?(?:P?<|[a-zA-Z-]*[:)]?)|[^]/gu;
const escapeInClass = /\\[pP](?:\{\^?\w*\}|.)|\\x\{[0-9A-Fa-f]*\}|\\[^]/gu;

/**
 * Why the proxies of a mesh do not all accept a pattern that is valid in some version of RE2; undefined when they do. A
 * proxy that rejects one pattern rejects the whole listener, so that only the common syntax is allowed.
 */
export function portabilityProblem(pattern: string): string | undefined {
  let depth = 0;
  for (const [text] of pattern.matchAll(token)) {
    if (text.startsWith('(') && ++depth > maxDepth) return 'groups are nested too deeply';
    if (text === ')' || (text.startsWith('(?') && text.endsWith(')'))) depth--;
    const problem = tokenProblem(text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function tokenProblem(text: string): string | undefined {
  if (text.startsWith('\\')) return escapeProblem(text);
  if (text.startsWith('(?')) return groupProblem(text);
  if (!text.startsWith('[')) return undefined;
  for (const [escape] of text.matchAll(escapeInClass)) {
    const problem = escapeProblem(escape);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function escapeProblem(escape: string): string | undefined {
  const name = /^\\[pP]\{?\^?(\w*)\}?$/.exec(escape)?.[1];
  if (name !== undefined && !unicodeClass.test(name)) return `${escape} is no Unicode class that is known here`;
  const codePoint = Number.parseInt(/^\\x\{(\w+)\}$/.exec(escape)?.[1] ?? '0', 16);
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (codePoint > 0x10ffff || isSurrogate) return `${escape} is no character`;
  return /^\\[QEC0-9]$/.test(escape) ? `${escape} has no meaning in RE2` : undefined;
}

function groupProblem(head: string): string | undefined {
  if (head === '(?)') return '(?) is empty';
  const isCommon = head === '(?P<' || /^\(\?(?:[ims]*(?:-[ims]+)?)[:)]$/.test(head);
  return isCommon ? undefined : 'RE2 has no look-around and only the flags i, m and s';
}
