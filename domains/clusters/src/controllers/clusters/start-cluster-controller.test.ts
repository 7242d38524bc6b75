import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { logicalClusters } from '../../adapters/logical/logical-cluster.ts';
import { type Cluster, clusters } from '../../kinds/cluster.ts';
import { clusterProfiles } from '../../kinds/cluster-profile.ts';
import { clusterNames } from '../../kinds/names.ts';
import { startTestClusters, type TestClusters } from '../../test-clusters.ts';

const inDefault = { ...clusters.ref, namespace: 'default' };

const make = (landscape: TestClusters, name: string, spec: Partial<Cluster['spec']> = {}): Promise<Cluster> =>
  landscape.platform.create(
    inDefault,
    clusters.object(
      { name, namespace: 'default' },
      { profile: 'logical', purposes: ['test'], tenancy: 'Exclusive', ...spec },
    ),
  );

const profileObject = (name: string, source: string, more: object = {}): KubeObject =>
  clusterProfiles.object(
    { name },
    { providerRef: { name: 'chandlery' }, providerConfigRef: { name: source }, supportedVersions: [], ...more },
  );

const untilReason = (landscape: TestClusters, name: string, reason: string): Promise<Cluster> =>
  eventually(
    async () => {
      const cluster = await landscape.findCluster(name, 'default');
      return cluster !== undefined && findCondition(cluster, 'Ready')?.reason === reason && cluster;
    },
    { what: `cluster ${name} to be ${reason}` },
  );

describe('The controller of clusters', () => {
  it('refuses a version that is not supported, until it is changed', async () => {
    await using landscape = await startTestClusters();
    await make(landscape, 'a', { kubernetes: { version: '1.20.0' } });
    const rejected = await untilReason(landscape, 'a', 'UnsupportedVersion');
    assert.match(findCondition(rejected, 'Ready')?.message ?? '', /one of: 1\.34\.1\./);
    assert.equal(findCondition(rejected, 'Synced')?.reason, 'TerminalError');
    assert.equal(rejected.status?.phase, 'Progressing');
    const body = { spec: { kubernetes: { version: '1.34' } } };
    await landscape.platform.patch({ ...inDefault, name: 'a' }, { type: 'merge', body });
    const ready = await landscape.ready('a', 'default');
    assert.equal(findCondition(ready, 'Synced')?.status, 'True');
  });

  it('leaves clusters of other providers alone', async () => {
    await using landscape = await startTestClusters();
    await landscape.platform.create(
      clusterProfiles.ref,
      profileObject('theirs', 'logical', { providerRef: { name: 'someone' } }),
    );
    await make(landscape, 'a', { profile: 'theirs' });
    await make(landscape, 'b');
    await landscape.ready('b', 'default');
    const theirs = await landscape.findCluster('a', 'default');
    assert.deepEqual([theirs?.metadata.finalizers, theirs?.status], [undefined, undefined]);
    assert.ok(theirs !== undefined && landscape.running.sourceOf(theirs) === undefined);
  });

  it('takes a cluster up when its profile comes, and takes it away after the profile went', async () => {
    await using landscape = await startTestClusters();
    const made = await make(landscape, 'a', { profile: 'special' });
    assert.equal(made.status, undefined);
    await landscape.platform.create(clusterProfiles.ref, profileObject('special', 'logical'));
    await landscape.ready('a', 'default');
    await landscape.platform.delete({ ...clusterProfiles.ref, name: 'special' });
    await untilReason(landscape, 'a', 'ProfileMissing');
    await landscape.platform.delete({ ...inDefault, name: 'a' });
    await landscape.gone(() => landscape.findCluster('a', 'default'), 'the cluster');
    const left = await landscape.platform.list(logicalClusters);
    assert.deepEqual(left.items.map(({ metadata }) => metadata.name).sort(), ['onboarding', 'platform']);
  });

  it('says that a profile names no source', async () => {
    await using landscape = await startTestClusters();
    await landscape.platform.create(clusterProfiles.ref, profileObject('odd', 'gardener'));
    await make(landscape, 'a', { profile: 'odd' });
    const cluster = await untilReason(landscape, 'a', 'ConfigurationProblem');
    assert.match(findCondition(cluster, 'Ready')?.message ?? '', /one of: external, local, logical\./);
    await landscape.platform.delete({ ...inDefault, name: 'a' });
    await landscape.gone(() => landscape.findCluster('a', 'default'), 'the cluster');
  });

  it('states what a cluster can do, as its profile declares or its source offers', async () => {
    await using landscape = await startTestClusters();
    await landscape.platform.create(clusterProfiles.ref, profileObject('before', 'local'));
    const expected = { logical: ['API'], local: ['API', 'Run'], before: ['API', 'Run'] };
    for (const [profile, capabilities] of Object.entries(expected)) {
      await make(landscape, profile, { profile });
      const ready = await landscape.ready(profile, 'default');
      assert.deepEqual(ready.status?.capabilities, capabilities);
      assert.equal(findCondition(ready, 'RunReady')?.status, capabilities.includes('Run') ? 'True' : undefined);
    }
  });

  it('says that a cluster with Run has no node, and that one without needs none', async () => {
    const runWorkloads = undefined as never;
    await using landscape = await startTestClusters({ runWorkloads });
    await make(landscape, 'a', { profile: 'local' });
    const cluster = await untilReason(landscape, 'a', 'NoNode');
    assert.deepEqual([cluster.status?.phase, findCondition(cluster, 'RunReady')?.status], ['Progressing', 'False']);
    await make(landscape, 'b');
    assert.equal(findCondition(await landscape.ready('b', 'default'), 'RunReady'), undefined);
  });

  it('refuses a profile that declares what its source does not offer, until it is changed', async () => {
    await using landscape = await startTestClusters();
    const profile = profileObject('odd', 'logical', { capabilities: ['API', 'Run'] });
    await landscape.platform.create(clusterProfiles.ref, profile);
    await make(landscape, 'a', { profile: 'odd' });
    const rejected = await untilReason(landscape, 'a', 'ConfigurationProblem');
    assert.match(findCondition(rejected, 'Ready')?.message ?? '', /"odd" declares API and Run/);
    const body = { spec: { capabilities: ['API'] } };
    await landscape.platform.patch({ ...clusterProfiles.ref, name: 'odd' }, { type: 'merge', body });
    await landscape.ready('a', 'default');
    const runAlone = { spec: { capabilities: ['Run'] } };
    await assert.rejects(
      landscape.platform.patch({ ...clusterProfiles.ref, name: 'odd' }, { type: 'merge', body: runAlone }),
      /must contain API/,
    );
  });

  it('keeps a cluster until it has no other finalizer', async () => {
    await using landscape = await startTestClusters();
    await make(landscape, 'a');
    const { metadata } = await landscape.ready('a', 'default');
    const finalizers = [...(metadata.finalizers ?? []), 'test.chandlery.io/mine'];
    const at = { ...inDefault, name: 'a' };
    await landscape.platform.patch(at, { type: 'merge', body: { metadata: { finalizers } } });
    await landscape.platform.delete(at);
    const held = await untilReason(landscape, 'a', 'WaitingForRelease');
    assert.match(findCondition(held, 'Ready')?.message ?? '', /the finalizers test\.chandlery\.io\/mine/);
    assert.equal(held.status?.phase, 'Terminating');
    const source = landscape.running.sourceOf(held);
    const client = await source?.connect(held);
    assert.ok(await client?.get({ group: '', version: 'v1', plural: 'namespaces', name: 'default' }));
    const body = { metadata: { finalizers: [clusterNames.clusterFinalizer] } };
    await landscape.platform.patch(at, { type: 'merge', body });
    await landscape.gone(() => landscape.findCluster('a', 'default'), 'the cluster');
  });

  it('continues a deletion that it was stopped in', async () => {
    await using landscape = await startTestClusters();
    await make(landscape, 'a');
    const cluster = await landscape.ready('a', 'default');
    const client = await landscape.running.sourceOf(cluster)?.connect(cluster);
    const map = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default', name: 'last' };
    const metadata = { name: 'last', finalizers: ['test.chandlery.io/stay'] };
    await client?.create(map, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await landscape.platform.delete({ ...inDefault, name: 'a' });
    await untilReason(landscape, 'a', 'Removing');
    await landscape.restart();
    const again = await landscape.running.sourceOf(cluster)?.connect(cluster);
    await again?.patch(map, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await landscape.gone(() => landscape.findCluster('a', 'default'), 'the cluster');
  });

  it('creates a deleted logical cluster again', async () => {
    await using landscape = await startTestClusters();
    await make(landscape, 'a');
    const { status } = await landscape.ready('a', 'default');
    const name = String(status?.providerStatus?.['logicalCluster']);
    const before = await landscape.platform.get({ ...logicalClusters, name });
    await landscape.platform.delete({ ...logicalClusters, name });
    await eventually(async () => {
      const now = await landscape.platform.get({ ...logicalClusters, name });
      return now.metadata.uid !== before.metadata.uid;
    });
    await landscape.ready('a', 'default');
  });

  it('reports why an external cluster is not ready, and is notified of its Secret at once', async () => {
    await using landscape = await startTestClusters();
    await make(landscape, 'far', { profile: 'external', clusterConfigs: [{ name: 'kubeconfig' }] });
    await untilReason(landscape, 'far', 'SecretMissing');
    const metadata = { name: 'kubeconfig', namespace: 'default' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { kubeconfig: 'nothing' } };
    await landscape.platform.create({ group: '', version: 'v1', plural: 'secrets', namespace: 'default' }, secret);
    await untilReason(landscape, 'far', 'InvalidKubeconfig');
  });
});
