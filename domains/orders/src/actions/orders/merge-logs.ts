/** A line of a log. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** RFC 3339, as it was logged. */
  readonly stamp: string;
  readonly text: string;
}

/** Reads lines that begin with their time. A line without one has the time of the line before. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<LogLine> {
  const decoder = new TextDecoder();
  let rest = '';
  let last: Pick<LogLine, 'time' | 'stamp'> = { time: 0, stamp: new Date(0).toISOString() };
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield (last = parseLine(line, last));
  }
  if (rest !== '') yield parseLine(rest, last);
}

function parseLine(line: string, last: Pick<LogLine, 'time' | 'stamp'>): LogLine {
  const stamp = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)(?= |$)/.exec(line)?.[0];
  if (stamp === undefined) return { time: last.time, stamp: last.stamp, text: line };
  return { time: Date.parse(stamp), stamp, text: line.slice(stamp.length + 1) };
}

/** Merges logs by time; lines of the same time stay in the order of the logs. */
export async function* mergeLogs(logs: readonly AsyncIterable<LogLine>[]): AsyncGenerator<LogLine> {
  const readers = logs.map(log => log[Symbol.asyncIterator]());
  const heads = await Promise.all(readers.map(reader => reader.next()));
  for (;;) {
    let first = -1;
    for (const [at, head] of heads.entries())
      if (head.done !== true && (first < 0 || head.value.time < timeAt(heads, first))) first = at;
    const head = heads[first];
    const reader = readers[first];
    if (head === undefined || reader === undefined || head.done === true) return;
    yield head.value;
    heads[first] = await reader.next();
  }
}

const timeAt = (heads: readonly IteratorResult<LogLine>[], at: number): number => {
  const head = heads[at];
  return head === undefined || head.done === true ? Number.POSITIVE_INFINITY : head.value.time;
};
