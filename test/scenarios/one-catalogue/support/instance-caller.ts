import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { eventually, freePorts, tempFolder } from '@chandlery/testing';
import { startEnvoy } from '../../../clients/support/envoy.ts';
import { writeBootstrap } from '../../../clients/support/envoy-bootstrap.ts';
import { type CatalogueWorld, tenant } from './catalogue-world.ts';

/** The account whose workload calls instances. */
export const callerAccount = `${tenant}/web`;

/** An instance as its callers know it. */
export interface CalledInstance {
  readonly service: string;
  /** Name of its port. */
  readonly port: string;
}

/** A workload with an Envoy that calls instances. */
export interface InstanceCaller extends AsyncDisposable {
  /** Gives an instance an address that leads to the Envoy: connections are not redirected here. */
  declare(instance: CalledInstance): Promise<void>;
  /** The URI of connection details, with the address of the instance in the mesh. */
  reach(instance: CalledInstance, uri: string): string;
  /** Sends a request to the instance over TLS; rejects when it is not let through. */
  fetch(instance: CalledInstance): Promise<number>;
  /** Whether an account of the proxied Kubernetes may call an instance that was ordered there. */
  verdictOnPlatform(account: string, instanceId: string): Promise<string>;
}

/** Starts the Envoy of the account, and a mesh of the proxied Kubernetes that takes the instances of the tenant. */
export async function startInstanceCaller(world: CatalogueWorld, binary: string): Promise<InstanceCaller> {
  const { landscape, operator, buyer } = world;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder('chandlery-caller-'));
  const [adminPort = 0, outboundPort = 0, inboundPort = 0] = await freePorts(3);
  await buyer.run('create', 'serviceaccount', 'web', '-n', tenant);
  await operator.apply({
    apiVersion: 'mesh.chandlery.io/v1alpha1',
    kind: 'Mesh',
    metadata: { name: 'shop' },
    spec: { clusters: [{ name: 'shop' }], instances: [{ tenant, namespaces: ['default'] }] },
  });
  const account = { account: 'web', namespace: tenant, cluster: 'onboarding', nodeId: `${tenant}-web` };
  const ports = ['--admin-port', adminPort, '--outbound-port', outboundPort, '--inbound-port', inboundPort];
  const flags = ports.map(String);
  const bootstrap = await writeBootstrap({ landscape }, { ...account, dir: folder.join('web'), flags });
  stack.use(await startEnvoy({ binary, bootstrap, adminPort }));
  const known = new Map<string, string>();
  const addressOf = ({ service }: CalledInstance): string => {
    const address = known.get(service) ?? `127.0.0.${41 + known.size}`;
    known.set(service, address);
    return address;
  };
  const all = stack.move();
  return {
    declare: async instance => {
      const metadata = { name: instance.service, namespace: tenant };
      const spec = { clusterIP: addressOf(instance), ports: [{ name: instance.port, port: outboundPort }] };
      await buyer.apply({ apiVersion: 'v1', kind: 'Service', metadata, spec });
    },
    reach: (instance, uri) => {
      const url = new URL(uri);
      url.host = `${addressOf(instance)}:${outboundPort}`;
      return url.href;
    },
    fetch: async instance => {
      const target = { host: addressOf(instance), port: outboundPort, rejectUnauthorized: false, agent: false };
      const sent = request(target).end();
      const [response] = (await once(sent, 'response', inTime())) as [IncomingMessage];
      return response.statusCode ?? 0;
    },
    verdictOnPlatform: (from, instanceId) =>
      eventually(() => verdictIn('shop', { landscape, from, instanceId }), { what: 'the mesh of the platform' }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const inTime = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(10_000) });

interface ShownInstance {
  readonly mesh: string;
  readonly service: { readonly namespace: string; readonly name: string };
}

async function verdictIn(
  mesh: string,
  call: Pick<CatalogueWorld, 'landscape'> & { readonly from: string; readonly instanceId: string },
): Promise<string | undefined> {
  const { landscape, from, instanceId } = call;
  const shown = await landscape.request(`/mesh/v1/instances/${tenant}/${instanceId}`);
  const { items } = shown.json<{ items: readonly ShownInstance[] }>();
  const service = items.find(item => item.mesh === mesh)?.service;
  assert.ok(service, shown.text);
  const query = new URLSearchParams({ from, to: `${service.namespace}/${service.name}` });
  const answer = await landscape.request(`/mesh/v1/meshes/${mesh}/explain?${query}`);
  return answer.status === 200 ? answer.json<{ verdict: string }>().verdict : undefined;
}
