import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RouteTable } from '@chandlery/http';
import { parsePath } from './match-route.ts';

const table = new RouteTable(
  ['', '/v1', '/v1/{collection}', '/v1/{collection}/{id}', '/v1/admin/{collection}', '/v1/{collection}/status'].map(
    path => ({ path, method: 'GET' }),
  ),
);

const cases: readonly { path: string; finds?: string; params?: object }[] = [
  { path: '/api/dinosaurs_mgmt', finds: '', params: {} },
  { path: '/api/dinosaurs_mgmt///', finds: '', params: {} },
  { path: '/api/dinosaurs_mgmt/v1/', finds: '/v1', params: {} },
  { path: '/api/dinosaurs_mgmt/v1/dinosaurs', finds: '/v1/{collection}', params: {} },
  { path: '/api/dinosaurs_mgmt/v1/dinosaurs/a%2Fb', finds: '/v1/{collection}/{id}', params: { id: 'a/b' } },
  { path: '/api/dinosaurs_mgmt/v1/dinosaurs/status', finds: '/v1/{collection}/status', params: {} },
  { path: '/api/dinosaurs_mgmt/v1/admin/dinosaurs', finds: '/v1/admin/{collection}', params: {} },
  { path: '/api/dinosaurs_mgmt/v1/parrots' },
  { path: '/api/dinosaurs_mgmt/v1//dinosaurs' },
  { path: '/api/dinosaurs_mgmt/v2' },
  { path: '/api/dinosaurs_mgmt/v1/dinosaurs/%ff' },
  { path: '/api/dinosaurs/v1' },
  { path: '/api/x/dinosaurs_mgmt/v1' },
];

for (const { path, finds, params } of cases) {
  test(`${path} leads to ${finds ?? 'nothing'}`, () => {
    const parsed = parsePath(path);
    const match = parsed && table.match(parsed.segments, { collection: parsed.product });
    assert.equal(match?.routes[0]?.path, finds);
    if (params !== undefined) assert.deepEqual(match?.params, params);
  });
}

test('a path full of slashes takes little time', () => {
  const start = process.cpuUsage();
  parsePath(`/api/dinosaurs_mgmt${'/'.repeat(200_000)}x`);
  assert.ok(process.cpuUsage(start).user < 500_000);
});
