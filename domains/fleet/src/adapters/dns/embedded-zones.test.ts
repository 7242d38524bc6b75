import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually, freePorts } from '@chandlery/testing';
import { forceStatus } from '../../actions/test-instances.ts';
import { worldSections } from '../../controllers/test-workers.ts';
import { startTestFleet } from '../../test-fleet.ts';
import { EmbeddedDnsServer } from './embedded-dns-server.ts';
import { EmbeddedZones } from './embedded-zones.ts';

const domain = 'dinosaurs.example.com';
const name = `rex.${domain}`;
const resolver = (port: number): Resolver => {
  const found = new Resolver({ timeout: 500, tries: 2 });
  found.setServers([`127.0.0.1:${port}`]);
  return found;
};

test('zones are loaded from the instances, follow them, and are served on every port that was configured', async () => {
  await using fleet = await startTestFleet();
  await fleet.configure(worldSections);
  const { id } = await fleet.create('rex');
  const routes = [{ domain: name, router: '192.0.2.1' }];
  await forceStatus(fleet, id, { state: 'ready', host: name, routes, routesCreated: true });
  const { registry } = fleet.deps;
  await using zones = new EmbeddedZones({ registry, logger: silentLogger });
  const [first = 0, second = 0] = await freePorts(2);
  for (const port of [first, second]) await zones.open({ port, domain });
  assert.equal(await zones.open({ port: first, domain }), await zones.open({ port: first, domain }));
  for (const port of [first, second]) assert.deepEqual(await resolver(port).resolve4(name), ['192.0.2.1']);
  await forceStatus(fleet, id, { state: 'deleting' });
  for (const port of [first, second])
    await eventually(() =>
      resolver(port)
        .resolve4(name)
        .then(
          () => false,
          ({ code }) => code === 'ENOTFOUND',
        ),
    );
});

test('a port that somebody else has is not the end: the zone is served on a free one', async () => {
  await using taken = await EmbeddedDnsServer.start({ port: 0 });
  await using fleet = await startTestFleet();
  await using zones = new EmbeddedZones({ registry: fleet.deps.registry, logger: silentLogger });
  const zone = await zones.open({ port: taken.port, domain });
  await zone.upsert([{ name, target: '192.0.2.7', ttlSeconds: 60 }]);
  const port = await zones.portOf(taken.port);
  assert.notEqual(port, taken.port);
  assert.deepEqual(await resolver(port).resolve4(name), ['192.0.2.7']);
});
