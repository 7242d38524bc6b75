/*
 * Patterns that the engine of JavaScript matches in linear time, and just as RE2 does: anchored at both ends, made of
 * characters and plain classes one after the other, of which one may be repeated at will. Behind that one there are only
 * a few, so there is little to try again at each position. They are many times faster there.
 */

const maxLength = 200;

/** An escaped sign, a digit or word class, or a character that has no other meaning. `.` and `\s` differ from RE2's. */
const character = String.raw`\\[.\\/+*?()[\]{}|^$dw]|[\w \-:/,@=#%&~!'"<>;]`;
const classMember = String.raw`\\[.\\/\-\]\[^dw]|[^\\\]\[^&\-]|[A-Za-z0-9]-[A-Za-z0-9]`;
const atom = String.raw`(?:${character}|\[\^?-?(?:${classMember})+-?\])`;
const exactly = String.raw`\{\d{1,3}\}`;
const repeated = String.raw`(?:[*+]|\{\d{1,3},\d{0,3}\})`;
const perhaps = String.raw`(?:\?|\{0,[1-3]\})`;
const simple = new RegExp(
  String.raw`^\^(?:${atom}(?:${exactly})?)*(?:${atom}${repeated})?${atom}{0,4}(?:${atom}${perhaps})?${atom}{0,2}\$$`,
);

/** A test by JavaScript's own engine; undefined for patterns that are not known to be simple. */
export function nativeTestOf(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > maxLength || !simple.test(pattern)) return undefined;
  try {
    const compiled = new RegExp(pattern, 'u');
    return text => compiled.test(text);
  } catch {
    return undefined;
  }
}
