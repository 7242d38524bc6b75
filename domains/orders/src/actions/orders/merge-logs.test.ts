import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeLogs, readLines } from './merge-logs.ts';

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('logs are merged by time, whatever pieces they come in', async () => {
  const first = pieces('2026-01-01T00:00:01Z a\n2026-01-01T00:', '00:03.5Z c\nno time\n2026-01-01T00:00:05Z e');
  const second = pieces('2026-01-01T00:00:02.000000001Z b\n2026-01-01T00:00:04Z d\n');
  const lines: string[] = [];
  for await (const { text } of mergeLogs([readLines(first), readLines(second), readLines(pieces())])) lines.push(text);
  assert.deepEqual(lines, ['a', 'b', 'c', 'no time', 'd', 'e']);
});
