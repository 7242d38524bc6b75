import { TextDecoder } from 'node:util';

/** What Argo's executor logs into the containers of users: `time=… level=… … argo=true`, or the same as JSON. */
const executorLine = /^\S+ (?:time=\S+ level=\w+ .*\bargo=true\b|\{"time":.*"argo":true)/;

/** Returns a log, each line with its time, without the lines of Argo's executor. */
export async function* withoutExecutorLines(log: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of log) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    const kept = lines.filter(line => !executorLine.test(line));
    if (kept.length > 0) yield Buffer.from(`${kept.join('\n')}\n`);
  }
  if (rest !== '' && !executorLine.test(rest)) yield Buffer.from(rest);
}
