import { RE2JS } from 're2js';

const maxPatternLength = 4096;

/**
 * Compiles a tenant's pattern to a test that runs in time linear to the text, whatever the pattern.
 * Throws when it is not in RE2's syntax, which is also that of Kubernetes.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  if (pattern.length > maxPatternLength) throw new Error(`longer than ${maxPatternLength} characters`);
  const compiled = RE2JS.compile(pattern);
  return text => compiled.test(text);
}

/** Why a pattern cannot be used; undefined when it can. */
export function findPatternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
