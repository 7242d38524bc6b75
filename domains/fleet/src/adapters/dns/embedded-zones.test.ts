import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { freePorts } from '@chandlery/testing';
import { startTestFleet } from '../../test-fleet.ts';
import { EmbeddedZones } from './embedded-zones.ts';

const domain = 'dinosaurs.example.com';
const name = `rex.${domain}`;

async function resolve(port: number): Promise<readonly string[] | string> {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver.resolve4(name).catch((error: { code: string }) => error.code);
}

test('a zone whose port is configured anew is served there, and no longer where it was', async () => {
  await using fleet = await startTestFleet();
  await using zones = new EmbeddedZones({ registry: fleet.deps.registry, logger: silentLogger });
  const [first = 0, second = 0] = await freePorts(2);
  const zone = await zones.open({ port: first, domain });
  assert.equal(await zones.open({ port: first, domain }), zone);
  await zone.upsert([{ name, target: '127.0.0.1', ttlSeconds: 60 }]);
  assert.deepEqual(await resolve(first), ['127.0.0.1']);
  const moved = await zones.open({ port: second, domain });
  await moved.upsert([{ name, target: '127.0.0.2', ttlSeconds: 60 }]);
  assert.deepEqual([await resolve(first), await resolve(second)], ['EREFUSED', ['127.0.0.2']]);
});
