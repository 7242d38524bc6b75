import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestKernel, type TestKernel } from '../../test-kernel.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const replicated = (more: object = {}) => ({ selector: { matchLabels: { app: 'a' } }, template, ...more });
const finite = (more: object = {}) => ({
  template: { spec: { ...template.spec, restartPolicy: 'Never' } },
  ...more,
});

type Status = { conditions?: { type: string; status: string; reason?: string; message?: string }[] };

const workloads = [
  { kind: 'Deployment', resource: 'apps/v1/deployments', spec: replicated, expected: 'Available=False' },
  { kind: 'ReplicaSet', resource: 'apps/v1/replicasets', spec: replicated, expected: 'ReplicaFailure=True' },
  { kind: 'Job', resource: 'batch/v1/jobs', spec: finite, expected: 'Suspended=True' },
] as const;

const idle = [
  { why: 'a Deployment of no replicas', resource: 'apps/v1/deployments', spec: replicated({ replicas: 0 }) },
  { why: 'a ReplicaSet of no replicas', resource: 'apps/v1/replicasets', spec: replicated({ replicas: 0 }) },
  { why: 'a suspended Job', resource: 'batch/v1/jobs', spec: finite({ suspend: true }) },
] as const;

describe('a workload', () => {
  let plane: TestKernel;
  before(async () => void (plane = await startTestKernel()));
  after(() => plane[Symbol.asyncDispose]());

  const eventsOf = async (name: string) =>
    (await plane.list('events')).filter(event => (event['involvedObject'] as { name: string }).name === name);
  const create = async (resource: string, name: string, spec: object) => {
    const warnings: string[] = [];
    const write = { warn: (text: string) => void warnings.push(text) };
    const { object } = await plane.create(resource, { metadata: { name }, spec }, { write });
    const conditions = (object['status'] as Status | undefined)?.conditions ?? [];
    return { warnings, conditions };
  };

  for (const { kind, resource, spec, expected } of workloads) {
    test(`on a cluster without nodes says so at once: ${kind}`, async () => {
      const name = `stranded-${kind.toLowerCase()}`;
      const { warnings, conditions } = await create(resource, name, spec());
      assert.deepEqual(
        conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
        [`${expected} NoNode`],
      );
      const says = new RegExp(`This cluster has no nodes: the ${kind} is stored, but nothing runs its pods`);
      assert.match(conditions[0]?.message ?? '', says);
      assert.match(warnings.join(), says);
      const [event] = await eventsOf(name);
      assert.deepEqual([event?.['type'], event?.['reason']], ['Warning', 'NoNode']);
      assert.equal((event?.['involvedObject'] as { kind: string }).kind, kind);
    });
  }

  for (const [index, { why, resource, spec }] of idle.entries()) {
    test(`that wants no pods does not complain: ${why}`, async () => {
      assert.deepEqual(await create(resource, `idle-${index}`, spec), { warnings: [], conditions: [] });
      assert.deepEqual(await eventsOf(`idle-${index}`), []);
    });
  }

  test('that is only tried on a cluster without nodes warns and leaves no event', async () => {
    const warnings: string[] = [];
    const write = { dryRun: true, warn: (text: string) => void warnings.push(text) };
    await plane.create('apps/v1/deployments', { metadata: { name: 'tried' }, spec: replicated() }, { write });
    assert.equal(warnings.length, 1);
    assert.deepEqual(await eventsOf('tried'), []);
  });

  test('on a cluster with a node does not complain', async () => {
    await plane.create('nodes', { metadata: { name: 'n' } });
    for (const { kind, resource, spec } of workloads) {
      const name = `runs-${kind.toLowerCase()}`;
      assert.deepEqual(await create(resource, name, spec()), { warnings: [], conditions: [] });
      assert.deepEqual(await eventsOf(name), []);
    }
  });
});
