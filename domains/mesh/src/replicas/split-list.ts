/** Far below the size limit of an object. */
const maxPieceLength = 256 * 1024;

/** Serializes a list as JSON, in pieces of bounded length, each of which is a list; at least one piece. */
export function splitList(items: readonly unknown[], maxLength = maxPieceLength): readonly string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let length = 0;
  for (const text of items.map(item => JSON.stringify(item))) {
    if (piece.length > 0 && length + text.length > maxLength) {
      pieces.push(`[${piece.join()}]`);
      [piece, length] = [[], 0];
    }
    piece.push(text);
    length += text.length + 1;
  }
  return [...pieces, `[${piece.join()}]`];
}
