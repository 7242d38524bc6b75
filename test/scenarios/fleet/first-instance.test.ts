import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { processesOf } from '../support/processes.ts';
import { type FleetLandscape, getFrom, type PublicInstance, startFleetLandscape } from './support/fleet-landscape.ts';

interface MetricsList {
  readonly items: readonly { readonly metric: Readonly<Record<string, string>> }[];
}

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

  /** Processes of the built-in product that the landscape runs. */
  const dinosaurs = async (): Promise<number> =>
    (await processesOf(fleet.landscape.process.pid)).filter(line => line.includes('server.ts')).length;

  it('is deleted without a trace', async () => {
    assert.equal(await dinosaurs(), 1);
    const { status } = await fleet.ask('DELETE', `/api/dinosaurs_mgmt/v1/dinosaurs/${rex.id}?async=true`);
    assert.equal(status, 202);
    await fleet.untilGone('dinosaurs', rex.id);
    assert.equal(await dinosaurs(), 0);
    await assert.rejects(fleet.resolve(rex.host ?? ''), { code: 'ENOTFOUND' });
    assert.equal(await kubectl('onboarding', 'get', 'fleetinstances', '-A', '-o', 'name'), '');
    assert.doesNotMatch(await kubectl('onboarding', 'get', 'secrets', '-n', 'fleet', '-o', 'name'), new RegExp(rex.id));
  });
});
