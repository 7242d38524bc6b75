import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');

test('a quick run of the mesh bench pushes to streams of every kind', async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 180_000,
  });
  assert.equal(code, 0, stderr);
  const number = String.raw`-?[\d.,]+`;
  const rows = [
    `20 streams on 2 connections, 50 endpoints( +${number} ms){2}( +${number} µs){2} +${number} ×( +${number} µs){2} +${number} KB/stream`,
    `20 streams on 2 connections: grpc-js alone( +${number} KB/stream){2} +${number} ms +${number} µs/stream`,
    `20 streams on 2 connections: Chandlery( +${number} KB/stream){2} +${number} ms +${number} µs/stream`,
    `one endpoint of 5 services: delta +${number} ms( +${number} µs){2} +${number} KB/stream +${number} ×`,
    `one of all clusters of 5 services: delta +${number} ms( +${number} µs){2} +${number} KB/stream +${number} ×`,
    `pushed to 1 stream( +${number} ms){2} +${number} ×( +${number} ms){2}`,
    `Chandlery +${number} /CPU s +${number} ×`,
  ];
  for (const row of rows) assert.match(stdout, new RegExp(`^  ${row}$`, 'm'));
  assert.match(
    stdout,
    /^ {2}(met {3}|MISSED) {2}Idle streams.* above grpc-js alone: -?[\d.,]+ KB\/stream \(≤ 40 KB\/stream\)$/m,
  );
});

test('an unknown section is rejected with the names of the known ones', async () => {
  const { code, stderr } = await runProcess(process.execPath, [bench, '--only', 'nonsense']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no section "nonsense"\nuse one of fan-out, idle,/);
});
