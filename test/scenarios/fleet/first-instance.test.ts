import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { processesOf } from '../support/processes.ts';
import { type FleetLandscape, getFrom, type PublicInstance, startFleetLandscape } from './support/fleet-landscape.ts';

interface MetricsList {
  readonly items: readonly { readonly metric: Readonly<Record<string, string>> }[];
}

/** Documented in docs/fleet.md. */
const drainTimeoutMs = 30_000;

/** From a landscape that knows nothing but the built-in product to an instance in use, and back. */
describe('The first instance of a landscape', () => {
  let fleet: FleetLandscape;
  let rex: PublicInstance;
  before(async () => {
    fleet = await startFleetLandscape();
    await fleet.configure({
      product: { id: 'dinosaurs', kind: 'Dinosaur' },
      settings: {
        dataplane_cluster_scaling_type: 'auto',
        enable_dynamic_scale_up: true,
        enable_dynamic_scale_down: true,
      },
      registered_users_per_organisation: [
        { id: 'acme', any_user: true, max_allowed_instances: 5, registered_users: [] },
      ],
    });
  });
  after(() => fleet[Symbol.asyncDispose]());

  const kubectl = async (context: string, ...args: readonly string[]): Promise<string> =>
    (await fleet.landscape.cluster(context).kubectl(args)).stdout;

  it('becomes ready without the help of anybody', async () => {
    const { id } = await fleet.order('dinosaurs', 'rex');
    rex = await fleet.untilState('dinosaurs', id, 'ready');
    assert.equal(rex.version, '1.0.2');
  });

  it('is found by DNS and used over HTTPS, with a certificate that verifies', async () => {
    assert.deepEqual(await fleet.resolve(rex.host ?? ''), ['127.0.0.1']);
    const url = rex.admin_api_server_url ?? '';
    assert.equal(new URL(url).hostname, rex.host);
    const { name, version, visits } = JSON.parse(await getFrom(url, fleet.landscape.ca)) as Record<string, unknown>;
    assert.deepEqual([name, version, visits], ['rex', '1.0.2', 1]);
  });

  it('shows metrics of its own', async () => {
    await eventually(
      async () => {
        const { body } = await fleet.ask('GET', `/api/dinosaurs_mgmt/v1/dinosaurs/${rex.id}/metrics/query`);
        const names = (body as MetricsList).items.map(({ metric }) => metric['__name__']);
        return names.includes('fleet_instance_up') && names.includes('dinosaur_visits_total');
      },
      { timeoutMs: 60_000 },
    );
  });

  /** Processes that the landscape runs and whose command contains a word. */
  const processes = async (word: string): Promise<number> =>
    (await processesOf(fleet.landscape.process.pid)).filter(line => line.includes(word)).length;
  const namesIn = async (context: string, ...args: readonly string[]): Promise<readonly string[]> =>
    (await kubectl(context, 'get', ...args, '-o', 'name')).split('\n').filter(name => name !== '');
  const clusterName = async (): Promise<string> => {
    const column = ['-o', 'jsonpath={.items[*].status.cluster.name}'];
    return kubectl('platform', 'get', 'clusterrequests', '-A', ...column);
  };
  const usedQuota = async (): Promise<number> => {
    const path = '/api/fleet_mgmt/v1/quota?product=dinosaurs&organisation=acme';
    const { items } = (await fleet.landscape.request(path)).json<{ items: readonly { used: number }[] }>();
    return items.reduce((sum, { used }) => sum + used, 0);
  };
  /** Everything that an instance consists of, counted where it is. */
  const traces = async () => {
    const secrets = await namesIn('onboarding', 'secrets', '-n', 'fleet');
    const label = ['-A', '-l', 'fleet.chandlery.io/product=dinosaurs'];
    const kinds = 'namespaces,deployments,replicasets,pods,services,secrets,persistentvolumeclaims';
    return {
      instances: (await namesIn('onboarding', 'fleetinstances', '-A')).length,
      processes: await processes('server.ts'),
      clients: secrets.filter(name => name.includes('sso-client-')).length,
      credentials: secrets.filter(name => name.includes(rex.id)).length,
      quota: await usedQuota(),
      objects: (await namesIn(await clusterName(), kinds, ...label)).length,
    };
  };

  it('is deleted without a trace', async () => {
    const one = { instances: 1, processes: 1, clients: 1, credentials: 1, quota: 1, objects: 7 };
    assert.deepEqual(await traces(), one);
    const { status } = await fleet.ask('DELETE', `/api/dinosaurs_mgmt/v1/dinosaurs/${rex.id}?async=true`);
    assert.equal(status, 202);
    await fleet.untilGone('dinosaurs', rex.id);
    await assert.rejects(fleet.resolve(rex.host ?? ''), { code: 'ENOTFOUND' });
    const nothing = { instances: 0, processes: 0, clients: 0, credentials: 0, quota: 0, objects: 0 };
    assert.deepEqual(await traces(), nothing);
  });

  it('leaves its cluster for the next one, until an operator drains it', async () => {
    const [name = ''] = await namesIn('onboarding', 'fleetclusters');
    const clusterId = name.replace(/.*dinosaurs\./, '');
    assert.deepEqual(
      [(await namesIn('onboarding', 'fleetclusters')).length, await processes('chandlery-agent')],
      [1, 1],
    );
    const { status, text } = await fleet.landscape.request(`/api/fleet_mgmt/v1/clusters/${clusterId}/drain`, {
      method: 'PUT',
      body: { draining: true },
    });
    assert.equal(status, 200, text);
    await eventually(
      async () => {
        const left = [...(await namesIn('onboarding', 'fleetclusters')), await clusterName()].filter(Boolean);
        assert.deepEqual([left, await processes('chandlery-agent')], [[], 0]);
        return true;
      },
      { timeoutMs: drainTimeoutMs, pauseMs: 100, what: 'the cluster and its agent to go' },
    );
  });
});
