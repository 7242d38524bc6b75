import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type CustomKind, defineKind, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { installKinds, isDeleting } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { Type } from 'typebox';
import { createManagedObjects } from './objects/create-managed-objects.ts';
import type { ManagedObjects } from './objects/managed-objects.ts';
import { configMap, configMapRef, connectionTo, countRequests, never, on, ownerA } from './objects/test-objects.ts';
import { createSyncer } from './sync/create-syncer.ts';
import { find, secret, secretRef } from './sync/test-sync.ts';

/** Two clusters for the contract, or two namespaces of one cluster. */
export interface OpenedClusters extends AsyncDisposable {
  readonly mcp: Client;
  readonly workload: Client;
}

interface Trial extends OpenedClusters {
  /** A kind of a group that is not used otherwise. */
  readonly kind: CustomKind;
  /** Namespaces, on the control plane and on the workload cluster. */
  readonly home: string;
  readonly copies: string;
}

const slowly = { timeoutMs: 30_000, pauseMs: 50 };
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

/** The behaviour of the SDK on clusters over the network, with nothing but what Kubernetes guarantees. */
export function describeSdkContract(
  where: string,
  open: (home: string, copies: string) => Promise<OpenedClusters>,
): void {
  describe(`The SDK ${where}`, () => {
    it('applies objects, rests, repairs, lets go and removes', () => withTrial(open, tryObjects));
    it('carries an object, its status and its Secret, and takes all of it back', () => withTrial(open, trySyncer));
  });
}

async function withTrial(
  open: (home: string, copies: string) => Promise<OpenedClusters>,
  attempt: (trial: Trial) => Promise<void>,
): Promise<void> {
  const id = `sdk-${randomBytes(4).toString('hex')}`;
  const [home, copies] = [`${id}-home`, `${id}-copies`];
  const kind = thingsOf(`${id}.example.org`);
  await using clusters = await open(home, copies);
  await using cleaning = new AsyncDisposableStack();
  for (const [client, name] of [
    [clusters.mcp, home],
    [clusters.workload, copies],
  ] as const) {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    cleaning.defer(() => remove(client, { ...namespaces, name }));
    await installKinds(client, [kind.crd], { fieldManager: 'test' });
    cleaning.defer(() => remove(client, { ...crds, name: kind.crd.metadata.name ?? '' }));
  }
  await attempt({ mcp: clusters.mcp, workload: clusters.workload, kind, home, copies } as Trial);
}

const thingsOf = (group: string): CustomKind =>
  defineKind({
    group,
    version: 'v1',
    kind: 'Thing',
    description: 'Something to be carried.',
    spec: Type.Object({ size: Type.Integer(), secretName: Type.String() }),
    status: Type.Object({ phase: Type.Optional(Type.String()) }),
  });

async function remove(client: Client, ref: ObjectRef): Promise<void> {
  await client.delete(ref).catch((error: unknown) => {
    if (!isError(error, 'NotFound', 'Conflict')) throw error;
  });
}

const merge = (client: Client, ref: ObjectRef, body: object): Promise<KubeObject> =>
  client.patch(ref, { type: 'merge', body: body as Record<string, never> });

const isRemoved = async (client: Client, ref: ObjectRef): Promise<boolean> => (await find(client, ref)) === undefined;

async function tryObjects({ workload, copies }: Trial): Promise<void> {
  const drifted: string[] = [];
  const { client, requests } = countRequests(workload);
  const keep = (): ManagedObjects =>
    createManagedObjects({
      fieldManager: 'provider.foo',
      provider: 'foo',
      onDrift: key => drifted.push(key),
      logger: silentLogger,
    });
  await using objects = keep();
  const connections = { workload: connectionTo('workload', client) };
  const desired = on('workload', configMap('one', { a: '1' }, copies), configMap('two', { b: '2' }, copies));
  const first = configMapRef('one', copies);
  const second = configMapRef('two', copies);
  const made = await objects.apply(ownerA, connections, desired, never);
  assert.deepEqual([made.isReady, made.changes.length], [true, 2]);

  await eventually(async () => {
    requests.length = 0;
    const { changes } = await objects.apply(ownerA, connections, desired, never);
    return changes.length === 0 && requests.length === 0;
  }, slowly);

  await merge(workload, first, { data: { a: 'tampered' } });
  await workload.delete(second);
  await eventually(() => drifted.length >= 2, slowly);
  const { changes } = await eventually(async () => {
    const report = await objects.apply(ownerA, connections, desired, never);
    return report.changes.length > 0 && report;
  }, slowly);
  assert.ok(changes.every(({ isDrift }) => isDrift));
  await eventually(async () => {
    await objects.apply(ownerA, connections, desired, never);
    return (await find(workload, second)) !== undefined;
  }, slowly);
  assert.deepEqual((await workload.get(first))['data'], { a: '1' });

  drifted.length = 0;
  const disguise = { labels: { 'openmcp.cloud/managed-by': 'somebody-else' } };
  await merge(workload, first, { metadata: disguise, data: { a: 'frozen' } });
  await eventually(() => drifted.length > 0, slowly);
  await eventually(async () => {
    const { reason } = await objects.apply(ownerA, connections, desired, never);
    const { metadata, data } = await workload.get(first);
    const isOurs = metadata.labels?.['openmcp.cloud/managed-by'] === 'foo';
    return reason === 'Ready' && isOurs && JSON.stringify(data) === '{"a":"1"}';
  }, slowly);

  await objects.release(ownerA, connections, desired.slice(1), never);
  const { metadata } = await workload.get(second);
  assert.deepEqual(
    [metadata.labels, metadata.annotations],
    [{ 'sdk.chandlery.io/handed-over': 'true' }, { 'sdk.chandlery.io/former-object': 'foo/tenant/a' }],
  );

  await merge(workload, second, { metadata: { labels: { 'example.org/own': 'yes' } } });
  await objects.apply(ownerA, connections, desired.slice(0, 1), never);
  await eventually(
    async () => (await objects.remove(ownerA, connections, desired.slice(0, 1), never)).isRemoved,
    slowly,
  );
  assert.deepEqual([await isRemoved(workload, first), await isRemoved(workload, second)], [true, false]);
}

async function trySyncer({ mcp, workload, kind, home, copies }: Trial): Promise<void> {
  const named = (namespace: string, name: string): ObjectRef => ({ ...kind.ref, namespace, name });
  await using syncer = createSyncer({
    definitions: [
      {
        kind,
        place: ({ metadata }) => ({ namespace: copies, name: `copy-${metadata.name}` }),
        related: [
          {
            name: 'secret',
            from: 'workload',
            ref: { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' },
            locate: copy => ({ namespace: copies, name: `${copy.metadata.name}-key` }),
            showAs: source => (source['spec'] as { secretName: string }).secretName,
          },
        ],
      },
    ],
    provider: 'foo',
    onChange: () => undefined,
    logger: silentLogger,
    backOff: { baseMs: 20, maxMs: 500 },
  });
  const context = { provider: 'foo', instanceId: 'aaaaaaaa', instanceNamespace: copies };
  const connections = { mcp: connectionTo('mcp', mcp), workload: connectionTo('workload', workload) };
  syncer.engage(ownerA, connections, context);
  const source = named(home, 'a');
  const copy = named(copies, 'copy-a');
  const spec = { size: 1, secretName: 'shown' };
  await mcp.create(source, {
    apiVersion: kind.apiVersion,
    kind: 'Thing',
    metadata: { name: 'a', namespace: home },
    spec,
  });
  const sizeIs = (size: number) => async (): Promise<boolean> =>
    ((await find(workload, copy))?.['spec'] as { size: number } | undefined)?.size === size;
  await eventually(sizeIs(1), slowly);

  await eventually(async () => {
    const live = await workload.get(copy);
    return workload.update({ ...copy, subresource: 'status' }, { ...live, status: { phase: 'Made' } });
  }, slowly);
  const phaseIs = (phase: string) => async (): Promise<boolean> =>
    ((await mcp.get(source))['status'] as { phase?: string } | undefined)?.phase === phase;
  await eventually(phaseIs('Made'), slowly);

  await workload.create(secretRef(copies, 'copy-a-key'), secret(copies, 'copy-a-key', 'key'));
  const isShown = async (): Promise<boolean> =>
    JSON.stringify((await find(mcp, secretRef(home, 'shown')))?.['data']) ===
    JSON.stringify(secret('', '', 'key')['data']);
  await eventually(isShown, slowly);

  await merge(mcp, secretRef(home, 'shown'), { data: secret('', '', 'tampered')['data'] });
  await merge(workload, copy, { spec: { size: 7 } });
  await merge(mcp, { ...source, subresource: 'status' }, { status: { phase: 'Forged' } });
  await eventually(isShown, slowly);
  await eventually(sizeIs(1), slowly);
  await eventually(phaseIs('Made'), slowly);

  await merge(workload, copy, { metadata: { finalizers: ['example.org/hold'] } });
  await mcp.delete(source);
  await eventually(async () => isDeleting(await workload.get(copy)), slowly);
  assert.ok(isDeleting(await mcp.get(source)));
  await merge(workload, copy, { metadata: { finalizers: null } });
  await eventually(() => isRemoved(mcp, source), slowly);
  assert.ok(await isRemoved(workload, copy));
  assert.ok(await isRemoved(mcp, secretRef(home, 'shown')));
}
