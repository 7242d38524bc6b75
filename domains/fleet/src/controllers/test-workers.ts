import { randomBytes } from 'node:crypto';
import { constantAuthority, createCertificateAuthority, Keyring, silentLogger } from '@chandlery/platform';
import type { InstanceReport } from '../actions/fleet-actions.ts';
import { createLifecycleActions } from '../actions/lifecycle-actions.ts';
import { clusterOf, report } from '../actions/test-instances.ts';
import { createLandscapeIssuer } from '../adapters/certificates/landscape-issuer.ts';
import { EmbeddedDnsServer } from '../adapters/dns/embedded-dns-server.ts';
import { type ClientStore, createMemoryClientStore } from '../adapters/sso/client-store.ts';
import { EmbeddedIdentityProvider } from '../adapters/sso/embedded-identity-provider.ts';
import type { ProductAdapters } from '../ports.ts';
import type { InstanceRow } from '../registry/fleet-registry.ts';
import type { TestFleet } from '../test-fleet.ts';
import type { FleetExtension } from './fleet-extension.ts';
import { startInstanceWorkers } from './start-instance-workers.ts';
import type { InstanceNotice, WorkerDeps } from './worker-deps.ts';

/** A DNS zone, an identity provider and a certificate authority, all real and in this process. */
export interface TestWorld extends AsyncDisposable {
  readonly adapters: ProductAdapters;
  readonly dns: EmbeddedDnsServer;
  readonly clients: ClientStore;
}

export const zoneDomain = 'dinosaurs.example.com';

/** The sections of the document that name this world. */
export const worldSections = {
  dns: { type: 'embedded', domain: zoneDomain },
  sso: { type: 'embedded' },
  certificates: { type: 'embedded' },
  terms: undefined,
  metrics: { type: 'embedded' },
  registered_users_per_organisation: [
    { id: '13640203', any_user: true, max_allowed_instances: 1000, registered_users: [] },
  ],
};

export async function startTestWorld(): Promise<TestWorld> {
  const dns = await EmbeddedDnsServer.start({ port: 0 });
  const clients = createMemoryClientStore();
  const keyring = new Keyring([{ id: '0123456789abcdef', key: randomBytes(32) }]);
  const authority = createCertificateAuthority({ commonName: 'test', now: new Date() });
  const adapters = {
    dns: dns.zone(zoneDomain),
    sso: new EmbeddedIdentityProvider({ store: clients, keyring }),
    certificates: createLandscapeIssuer({ authority: constantAuthority(authority) }),
  };
  return { adapters, dns, clients, [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose]() };
}

export interface TestWorkersOptions {
  readonly adapters: ProductAdapters;
  readonly extensions?: readonly FleetExtension[];
}

/** Events that workers recorded, beside the workers. */
export interface TestWorkers extends AsyncDisposable {
  readonly notices: (InstanceNotice & { readonly id: string })[];
}

/** Starts the seven workers on a fleet. */
export function startTestWorkers({ deps }: TestFleet, { adapters, extensions = [] }: TestWorkersOptions): TestWorkers {
  const notices: TestWorkers['notices'] = [];
  const workerDeps: WorkerDeps = {
    ...deps,
    adaptersOf: () => Promise.resolve(adapters),
    extensions,
    observer: { reconciled: () => undefined, operation: () => undefined, jobDone: () => undefined },
    recordEvent: ({ id }, notice) => notices.push({ id, ...notice }),
  };
  const workers = startInstanceWorkers(workerDeps);
  return { notices, [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose]() };
}

/** What an agent does with an instance; undefined: nothing. */
export type AgentBehaviour = (row: InstanceRow, clusterDns: string) => InstanceReport | undefined;

const obedient: AgentBehaviour = ({ status }, clusterDns) => {
  const routes = [{ name: 'main', prefix: '', router: `router.${clusterDns}` }];
  if (status.state === 'deprovision') return report('False', 'Deleted');
  if (status.state === 'suspending') return report('False', 'Suspended');
  const versions = { product: status.desired?.product, operator: status.desired?.operator };
  return status.state === 'provisioning' ||
    status.state === 'resuming' ||
    status.desired?.product !== status.actual?.product
    ? report('True', '', { routes, versions })
    : undefined;
};

/** An agent of a cluster that reports by change: at once, as an instance is seen by agents. */
export function startTestAgent(
  fleet: TestFleet,
  {
    clusterId = 'frankfurt-1',
    behave = obedient,
  }: { readonly clusterId?: string; readonly behave?: AgentBehaviour } = {},
): Disposable {
  const { deps } = fleet;
  const lifecycle = createLifecycleActions({ ...deps, logger: silentLogger });
  const act = (row: InstanceRow): void => {
    if (row.status.clusterId !== clusterId || row.status.host === undefined) return;
    const cluster = clusterOf(deps, clusterId);
    const sent = behave(row, cluster.spec.clusterDns ?? cluster.status.clusterDns ?? '');
    if (sent === undefined) return;
    void lifecycle.reportInstances(fleet.product(), cluster, new Map([[row.id, sent]])).catch(() => undefined);
  };
  for (const row of deps.registry.instances.all()) act(row);
  const stop = deps.registry.instances.listen(({ type, row }) => {
    if (type !== 'removed') act(row);
  });
  return { [Symbol.dispose]: stop };
}

/** Reports versions of a cluster, as an agent does when it starts. */
export async function reportVersions(fleet: TestFleet, clusterId = 'frankfurt-1'): Promise<void> {
  const { deps } = fleet;
  await createLifecycleActions(deps).reportCluster(fleet.product(), clusterOf(deps, clusterId), {
    conditions: [{ type: 'Ready', status: 'True', reason: '', message: '' }],
    operatorVersions: [{ version: 'op.v1.0.0-0', ready: true, productVersions: ['1.0.0', '2.0.0'] }],
    capacity: undefined,
  });
}
