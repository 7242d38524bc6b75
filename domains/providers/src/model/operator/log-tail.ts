const maxLines = 10;
const maxBytes = 1024;

/** The end of a log that fits into a condition: ten lines and one KiB at most, without the empty lines at the end. */
export function logTail(log: string): string {
  const lines = log.trimEnd().split(/\r?\n/).slice(-maxLines).join('\n');
  const bytes = Buffer.from(lines);
  if (bytes.length <= maxBytes) return lines;
  // A truncated character becomes U+FFFD at the beginning.
  return bytes
    .subarray(bytes.length - maxBytes)
    .toString()
    .replace(/^\uFFFD+/, '');
}
