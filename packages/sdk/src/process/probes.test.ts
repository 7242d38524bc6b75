import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricsRegistry } from '@chandlery/platform';
import { probeAddresses, serveProbes } from './probes.ts';

describe('Probes', () => {
  it('report liveness, readiness and metrics', async () => {
    const registry = new MetricsRegistry();
    registry.counter({ name: 'boats_total', help: 'Boats.' }).with({}).inc(3);
    let isReady = false;
    await using server = await serveProbes(
      { host: '127.0.0.1', port: 0, flag: '' },
      { isReady: () => isReady, registry },
    );
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);
    assert.equal((await get('/healthz')).status, 200);
    assert.equal((await get('/readyz')).status, 503);
    isReady = true;
    assert.equal((await get('/readyz')).status, 200);
    assert.match(await (await get('/metrics')).text(), /^boats_total 3$/m);
    assert.equal((await get('/else')).status, 404);
  });

  it('are on all interfaces in a cluster, and only on this machine on a local one', () => {
    const health = 'PORT_HEALTH in the environment';
    assert.deepEqual(probeAddresses({}, ':8080'), {
      health: { host: '::', port: 8081, flag: health },
      metrics: { host: '::', port: 8080, flag: '--metrics-bind-address' },
    });
    assert.deepEqual(probeAddresses({}, undefined).metrics, undefined);
    assert.deepEqual(probeAddresses({ PORT_HEALTH: '4001', PORT_METRICS: '4002' }, ':8080'), {
      health: { host: '127.0.0.1', port: 4001, flag: health },
      metrics: { host: '127.0.0.1', port: 4002, flag: 'PORT_METRICS in the environment' },
    });
  });

  it('on a port that is taken fail with what chooses another one', async () => {
    const options = { isReady: () => true, registry: new MetricsRegistry() };
    await using taken = await serveProbes({ host: '127.0.0.1', port: 0, flag: '' }, options);
    const { health } = probeAddresses({ PORT_HEALTH: String(taken.port) }, undefined);
    await assert.rejects(serveProbes(health, options), { code: 'PortTaken', hint: /another one with PORT_HEALTH in/ });
  });
});
