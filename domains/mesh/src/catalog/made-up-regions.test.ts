import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnnouncedEndpoints } from '../endpoints/announced/announced-endpoints.ts';
import type { Proxy } from '../ports.ts';
import { ServiceCatalog, type ServiceCatalogOptions } from './service-catalog.ts';
import { AuthorityDouble } from './test-authority-double.ts';
import { TestCompiler } from './test-compiler.ts';
import { TestDirectory } from './test-directory.ts';
import { TestEndpoints, testEndpoint } from './test-endpoints.ts';
import { TestTopology } from './test-topology.ts';

/** A mesh of the cluster `east` in the region `eu`, whose service `web` also runs in `us`. */
function start() {
  const topology = new TestTopology();
  const services = new TestDirectory();
  services.declare('shop/web', 80);
  const known = new TestEndpoints('known');
  const announced = createAnnouncedEndpoints({ mayServe: () => true });
  const catalog = new ServiceCatalog({
    tenant: 't',
    clusters: [{ name: 'east', region: 'eu' }],
    topology,
    services,
    providers: [known, announced],
    announced,
    authority: new AuthorityDouble() as unknown as ServiceCatalogOptions['authority'],
    compiler: new TestCompiler(),
  });
  known.set('shop/web', [testEndpoint('10.0.0.1', { cluster: 'west', region: 'us' })]);
  const identity = { trustDomain: 'd', tenant: 't', cluster: 'east', namespace: 'shop', serviceAccount: 'web' };
  const viewIn = (region?: string, more: Partial<Proxy> = {}) =>
    catalog.registerProxy({ nodeId: 'n', identity, dialect: 'grpc', peer: '', ...(region && { region }), ...more })
      .view;
  return { known, viewIn };
}

test('proxies in invented regions share the view of proxies without a region: each view has limits of its own', () => {
  const { viewIn } = start();
  const usual = viewIn();
  for (let no = 0; no < 1000; no++) assert.equal(viewIn(`made-up-${no}`, { zone: `${no}` }), usual);
});

test('a region of a cluster, or of an endpoint, is accepted', () => {
  const { known, viewIn } = start();
  const usual = viewIn();
  assert.equal(viewIn('eu'), usual);
  const far = viewIn('us');
  assert.notEqual(far, usual);
  assert.equal(viewIn('us'), far);
  known.set('shop/web', []);
  assert.equal(viewIn('us'), usual);
});

test('an announced endpoint does not make its region known', () => {
  const { viewIn } = start();
  const usual = viewIn();
  const announcement = [{ service: 'web', ip: '10.0.0.9', ports: { '': 8080 } }];
  for (let round = 0; round < 2; round++) assert.equal(viewIn('moon', { announcement }), usual);
});
