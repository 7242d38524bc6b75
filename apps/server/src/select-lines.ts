import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

export interface LineSelection {
  /** Whether each line keeps the time at its beginning. */
  readonly timestamps: boolean;
  /** Only the last lines. Default: all. */
  readonly tailLines?: number;
}

/** The lines of a stored log, each of which begins with its time. */
export async function* selectLines(
  log: AsyncIterable<Uint8Array>,
  { timestamps, tailLines }: LineSelection,
): AsyncGenerator<Uint8Array> {
  const kept: string[] = [];
  for await (const line of createInterface({ input: Readable.from(log), crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = `${timestamps ? line : line.slice(line.indexOf(' ') + 1)}\n`;
    if (tailLines === undefined) yield Buffer.from(text);
    else if (tailLines > 0) {
      kept.push(text);
      if (kept.length > tailLines) kept.shift();
    }
  }
  for (const text of kept) yield Buffer.from(text);
}
