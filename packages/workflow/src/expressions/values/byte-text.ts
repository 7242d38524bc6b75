/** Go indexes texts by UTF-8 bytes, JavaScript by UTF-16 units: the same for ASCII only. */
const ascii = /^[\x00-\x7f]*$/;

export const isAscii = (text: string): boolean => ascii.test(text);

export const byteLength = (text: string): number => (isAscii(text) ? text.length : Buffer.byteLength(text));

/** The bytes from `from` to `to`, as text; half a character becomes U+FFFD. */
export function sliceBytes(text: string, from: number, to: number): string {
  if (isAscii(text)) return text.slice(from, to);
  return Buffer.from(text).subarray(from, to).toString();
}

/** The number of characters (code points). */
export const characterCount = (text: string): number => (isAscii(text) ? text.length : Array.from(text).length);

/** The byte position of `position`, a UTF-16 index. */
export function bytePosition(text: string, position: number): number {
  return position <= 0 || isAscii(text) ? position : Buffer.byteLength(text.slice(0, position));
}
