import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutExecutorLines } from './argo-lines.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

test('lines of the executor are no part of a log, however it is cut into pieces', async () => {
  const at = '2026-01-01T00:00:00Z';
  const own = [`${at} hello`, `${at} time=now argo=true`, `${at} `];
  const argo = [
    `${at} time=${at} level=INFO msg="sub-process exited" argo=true error=<nil>`,
    `${at} {"time":"${at}","level":"INFO","msg":"waiting for signals","argo":true}`,
  ];
  const text = [own[0], argo[0], own[1], argo[1], own[2]].join('\n');
  for (const size of [1, 7, 1000]) {
    const kept = Buffer.concat(await Array.fromAsync(withoutExecutorLines(pieces(text, size)))).toString();
    assert.equal(kept, own.join('\n'), `pieces of ${size}`);
  }
});
