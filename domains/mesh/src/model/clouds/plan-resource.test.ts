import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { type EndpointSet, endpointSets, maxEndpointsInSet } from '../../kinds/endpoint-set.ts';
import type { CloudMachine } from './cloud-machine.ts';
import type { EndpointSetPlan } from './plan-endpoint-sets.ts';
import { type AccountView, planResource } from './plan-resource.ts';
import { setNameOf } from './set-names.ts';

const resource = {
  ...{ account: 'prod', service: 'web', serviceAccount: 'shopkeeper', weight: 1 },
  ports: [{ name: 'http', port: 8080 }],
  address: 'private' as const,
};
const machine = (no: number, more: Partial<CloudMachine> = {}): CloudMachine => ({
  ...{ id: `i-${no}`, address: `10.0.${no >> 8}.${no & 255}`, state: 'Running', region: 'eu', zone: 'eu-a' },
  ...more,
});
const readAt = new Date('2030-01-01T00:00:00Z');
const read = (machines: readonly CloudMachine[], more: object = {}): AccountView => ({
  ...{ type: 'read', resolution: { machines, missing: [] }, readAt },
  ...more,
});
const failure = new ChandleryError('CloudUnreachable', 'AWS does not respond');
const nameOf = (index: number): string => setNameOf('aws', 'web', index);
const plan = (account: AccountView, present: readonly EndpointSet[] = []): EndpointSetPlan =>
  planResource({ nameOf, cloud: 'aws-prod', resource, account, present });
const setsAfter = ({ put }: EndpointSetPlan): readonly EndpointSet[] =>
  put.map(({ name, spec }) => endpointSets.object({ name, namespace: 'shop' }, spec));
const addressesIn = ({ put }: EndpointSetPlan) => put.map(({ spec }) => spec.endpoints.map(({ ip }) => ip));

describe('The sets of a resource of a cloud', () => {
  it('have its machines, with place and state', () => {
    const { put, remove } = plan(read([machine(2, { state: 'Draining' }), machine(1)]));
    assert.deepEqual(remove, []);
    const common = { port: 8080, portName: 'http', region: 'eu', zone: 'eu-a', weight: 1 };
    assert.deepEqual(put, [
      {
        name: 'aws-web',
        spec: {
          ...{ service: 'web', serviceAccount: 'shopkeeper', cloud: 'aws-prod' },
          endpoints: [
            { ...common, ip: '10.0.0.1', state: 'Running', source: 'i-1' },
            { ...common, ip: '10.0.0.2', state: 'Draining', source: 'i-2' },
          ],
        },
      },
    ]);
  });

  it('are not written again while nothing has changed', () => {
    const present = setsAfter(plan(read([machine(1)])));
    assert.deepEqual(plan(read([machine(1)]), present), { put: [], remove: [] });
  });

  it('are as many as their size requires, and fewer again', () => {
    const machines = Array.from({ length: maxEndpointsInSet + 1 }, (_, no) => machine(no + 1));
    const large = plan(read(machines));
    assert.deepEqual(
      large.put.map(({ name, spec }) => [name, spec.endpoints.length]),
      [
        ['aws-web', maxEndpointsInSet],
        ['aws1-web', 1],
      ],
    );
    const small = plan(read(machines.slice(1)), setsAfter(large));
    assert.deepEqual([addressesIn(small)[0]?.length, small.remove], [maxEndpointsInSet, ['aws1-web']]);
  });

  it('change for changed machines only, so that none is missing between the writes of two', () => {
    const machines = Array.from({ length: 2 * maxEndpointsInSet }, (_, no) => machine(no + 2));
    const present = setsAfter(plan(read(machines)));
    const [first = machine(2), ...others] = machines;
    const replaced = plan(read([machine(1), ...others]), present);
    assert.deepEqual(
      replaced.put.map(({ name }) => name),
      ['aws-web'],
    );
    const more = plan(read([machine(1), first, ...others]), present);
    assert.deepEqual(
      [more.put.map(({ name }) => name), addressesIn(more), more.remove],
      [['aws2-web'], [['10.0.0.1']], []],
    );
  });

  it('stay as they are while the account cannot be read, and say since when', () => {
    const present = setsAfter(plan(read([machine(1)])));
    const down = plan(read([machine(1)], { failure }), present);
    assert.deepEqual(addressesIn(down), [['10.0.0.1']]);
    const stale = { since: '2030-01-01T00:00:00.000Z', reason: 'AWS does not respond' };
    assert.deepEqual(down.put[0]?.spec.stale, stale);
    // After a restart, the time of the last read is known from the sets.
    const later = new Date('2030-01-01T00:10:00Z');
    const restarted = plan({ type: 'unread', failure, since: later }, setsAfter(down));
    assert.deepEqual(restarted, { put: [], remove: [] });
    assert.deepEqual(plan(read([machine(1)]), setsAfter(down)).put[0]?.spec.stale, undefined);
  });

  it('stay as they are until the account is read for the first time', () => {
    const present = setsAfter(plan(read([machine(1)])));
    assert.deepEqual(plan({ type: 'unread' }, present), { put: [], remove: [] });
    const failed = plan({ type: 'unread', failure, since: readAt }, present);
    assert.deepEqual(addressesIn(failed), [['10.0.0.1']]);
    assert.equal(failed.put[0]?.spec.stale?.since, readAt.toISOString());
  });

  const us = { region: 'us', zone: 'us-a' };
  const unreadUs = (machines: readonly CloudMachine[]): AccountView => ({
    ...{ type: 'read', readAt, failure },
    resolution: { machines, missing: [], keeps: ({ region }) => region === 'us' },
  });

  it('keep the endpoints of a region that cannot be read', () => {
    const present = setsAfter(plan(read([machine(1), machine(2, us)])));
    assert.deepEqual(addressesIn(plan(unreadUs([machine(3)]), present)), [['10.0.0.2', '10.0.0.3']]);
  });

  it('keep no endpoint of a machine that was read after all', () => {
    const present = setsAfter(plan(read([machine(1, us), machine(2, us)])));
    const { put } = plan(unreadUs([machine(1, { ...us, state: 'Draining' })]), present);
    assert.deepEqual(
      put[0]?.spec.endpoints.map(({ ip, state }) => `${ip} ${state}`),
      ['10.0.0.1 Draining', '10.0.0.2 Running'],
    );
  });

  it('keep no endpoint for another service or port than it was found for', () => {
    const present = setsAfter(plan(read([machine(1, us)])));
    const changed = (more: object) => {
      const input = { nameOf, cloud: 'aws-prod', account: unreadUs([]), present };
      return addressesIn(planResource({ ...input, resource: { ...resource, ...more } }));
    };
    assert.deepEqual(changed({ service: 'api' }), [[]]);
    assert.deepEqual(changed({ ports: [{ name: 'http', port: 9090 }] }), [[]]);
    assert.deepEqual(changed({ serviceAccount: 'other' }), [['10.0.0.1']]);
  });

  it('have as much of a reason as they may have', () => {
    const long = new ChandleryError('CloudUnreachable', 'x'.repeat(2000));
    const { put } = plan(read([machine(1)], { failure: long }));
    assert.equal(put[0]?.spec.stale?.reason.length, 1024);
  });

  it('are removed when the account is deleted', () => {
    const present = setsAfter(plan(read([machine(1)])));
    assert.deepEqual(plan({ type: 'missing' }, present), { put: [], remove: ['aws-web'] });
  });
});
