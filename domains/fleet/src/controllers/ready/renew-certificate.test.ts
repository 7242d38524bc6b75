import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { constantAuthority, createCertificateAuthority, ManualClock } from '@chandlery/platform';
import { instanceOf, report } from '../../actions/test-instances.ts';
import { createLandscapeIssuer } from '../../adapters/certificates/landscape-issuer.ts';
import { fleetNamespace } from '../../kinds/index.ts';
import type { InstanceRow } from '../../registry/fleet-registry.ts';
import { startTestFleet } from '../../test-fleet.ts';
import { InstanceDraft } from '../instance-draft.ts';
import {
  type AgentBehaviour,
  reportVersions,
  startTestAgent,
  startTestWorkers,
  startTestWorld,
  worldSections,
} from '../test-workers.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { renewCertificate } from './renew-certificate.ts';

const dayMs = 24 * 3600 * 1000;

const reportTwoRoutes: AgentBehaviour = ({ status }, clusterDns) =>
  status.state === 'provisioning'
    ? report('True', '', {
        routes: ['', 'admin'].map(prefix => ({ name: prefix, prefix, router: `router.${clusterDns}` })),
      })
    : undefined;

test('a certificate is renewed thirty days before its end, for the host and every route, and not before', async () => {
  const clock = new ManualClock(new Date());
  await using fleet = await startTestFleet({ clock });
  await fleet.configure({ ...worldSections, dns: { type: 'none' }, sso: { type: 'none' } });
  await reportVersions(fleet);
  const authority = createCertificateAuthority({ commonName: 'test', now: clock.now() });
  const adapters = {
    dns: undefined,
    sso: undefined,
    certificates: createLandscapeIssuer({ authority: constantAuthority(authority), clock }),
  };
  const { registry } = fleet.deps;
  using _agent = startTestAgent(fleet, { behave: reportTwoRoutes });
  const { id } = await fleet.create('rex');
  const certificate = async (): Promise<X509Certificate> => {
    const secret = await registry.readSecret(fleetNamespace, `instance-${id}`);
    return new X509Certificate(secret?.['tls.crt'] ?? '');
  };
  const until = (isDone: (row?: InstanceRow) => boolean) =>
    registry.instances.until(id, isDone, AbortSignal.timeout(10_000));
  {
    await using _ = startTestWorkers(fleet, { adapters });
    await until(row => row?.status.state === 'ready' && row.status.certificateNames !== undefined);
  }
  const first = await certificate();
  const { host = '' } = instanceOf(fleet.deps, id).status;
  for (const name of [host, `admin-${host}`]) assert.equal(first.checkHost(name), name, 'it has the routes already');
  const expiry = registry.instances.get(id)?.status.certificateExpiresAt;
  clock.advance(59 * dayMs);
  const draft = new InstanceDraft(instanceOf(fleet.deps, id), registry.now());
  const deps = { ...fleet.deps, adaptersOf: () => Promise.resolve(adapters) } as unknown as WorkerDeps;
  const context = { product: fleet.product(), now: clock.now(), signal: new AbortController().signal };
  const result = await renewCertificate(draft, deps, context);
  assert.ok(typeof result === 'object' && Math.abs(result.retryAfterMs - dayMs) < 60_000, '31 days are left');
  clock.advance(2 * dayMs);
  await using _ = startTestWorkers(fleet, { adapters });
  const renewed = await until(row => row?.status.certificateExpiresAt !== expiry);
  const second = await certificate();
  assert.notEqual(second.serialNumber, first.serialNumber);
  assert.equal(second.validToDate.getTime(), Date.parse(renewed?.status.certificateExpiresAt ?? ''));
  for (const name of [host, `admin-${host}`]) assert.equal(second.checkHost(name), name);
});

test('an instance with a zone is ready only when its certificate has the names of all routes', async () => {
  await using fleet = await startTestFleet();
  await using world = await startTestWorld();
  await fleet.configure(worldSections);
  await reportVersions(fleet);
  await using _ = startTestWorkers(fleet, { adapters: world.adapters });
  using _agent = startTestAgent(fleet, { behave: reportTwoRoutes });
  const { registry } = fleet.deps;
  const { id } = await fleet.create('rex');
  const isReady = (row?: InstanceRow): boolean => row?.status.state === 'ready';
  const row = await registry.instances.until(id, isReady, AbortSignal.timeout(10_000));
  const { host = '', certificateNames } = row?.status ?? {};
  assert.deepEqual(certificateNames, [host, `admin-${host}`]);
  const secret = await registry.readSecret(fleetNamespace, `instance-${id}`);
  assert.equal(new X509Certificate(secret?.['tls.crt'] ?? '').checkHost(`admin-${host}`), `admin-${host}`);
  assert.notEqual(secret?.['client-secret'] ?? '', '', 'its other secrets stay');
});
