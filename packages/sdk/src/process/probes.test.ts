import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricsRegistry } from '@chandlery/platform';
import { probeAddresses, serveProbes } from './probes.ts';

describe('Probes', () => {
  it('report liveness, readiness and metrics', async () => {
    const registry = new MetricsRegistry();
    registry.counter({ name: 'boats_total', help: 'Boats.' }).with({}).inc(3);
    let isReady = false;
    await using server = await serveProbes({ host: '127.0.0.1', port: 0 }, { isReady: () => isReady, registry });
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);
    assert.equal((await get('/healthz')).status, 200);
    assert.equal((await get('/readyz')).status, 503);
    isReady = true;
    assert.equal((await get('/readyz')).status, 200);
    assert.match(await (await get('/metrics')).text(), /^boats_total 3$/m);
    assert.equal((await get('/else')).status, 404);
  });

  it('are on all interfaces in a cluster, and only on this machine on a local one', () => {
    assert.deepEqual(probeAddresses({}, ':8080'), {
      health: { host: '::', port: 8081 },
      metrics: { host: '::', port: 8080 },
    });
    assert.deepEqual(probeAddresses({}, undefined).metrics, undefined);
    assert.deepEqual(probeAddresses({ PORT_HEALTH: '4001', PORT_METRICS: '4002' }, ':8080'), {
      health: { host: '127.0.0.1', port: 4001 },
      metrics: { host: '127.0.0.1', port: 4002 },
    });
  });
});
