import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AccessRequest, accessRequests, clusterProfiles, clusterRequests, clusters } from '../../kinds/index.ts';
import {
  isVanishing,
  judgeCluster,
  judgeProvider,
  judgeRequest,
  mayServe,
  phaseAfter,
  type Standing,
  type Verdict,
} from './standing.ts';

const ref = { name: 'a', namespace: 'n' };
const spec = { profile: 'logical', purposes: ['mcp'], tenancy: 'Shared' as const };
const cluster = (metadata: object = {}, status?: object) => ({
  ...clusters.object({ name: 'a', namespace: 'n', ...metadata }, spec),
  ...(status && { status }),
});
const wish = (status?: object) => ({
  ...clusterRequests.object({ name: 'a' }, { purpose: 'mcp' }),
  ...(status && { status }),
});
const profile = clusterProfiles.object(
  { name: 'logical' },
  { providerRef: { name: 'chandlery' }, providerConfigRef: { name: 'x' }, supportedVersions: [] },
);
const reasonOf = (judged: object): unknown => ('reason' in judged ? [(judged as Verdict).type, judged.reason] : judged);

describe('the cluster of a request', () => {
  test('is that of its ClusterRequest once this is granted', () => {
    const given = { name: 'c', namespace: 'm' };
    assert.deepEqual(reasonOf(judgeRequest(ref, undefined)), ['waiting', 'ClusterRequestNotFound']);
    assert.deepEqual(reasonOf(judgeRequest(ref, wish())), ['waiting', 'ClusterRequestPending']);
    assert.deepEqual(reasonOf(judgeRequest(ref, wish({ cluster: given }))), ['waiting', 'ClusterRequestPending']);
    assert.deepEqual(reasonOf(judgeRequest(ref, wish({ phase: 'Denied' }))), ['refused', 'ClusterRequestDenied']);
    assert.deepEqual(judgeRequest(ref, wish({ phase: 'Granted', cluster: given })), { cluster: given });
  });

  test('that there is none of is explained as the scheduler and the cluster do', () => {
    const conditions = [{ type: 'Ready', status: 'False' as const, message: 'It needs Run.' }];
    const denied = judgeRequest(ref, wish({ phase: 'Denied', conditions }));
    assert.match('message' in denied ? denied.message : '', /is denied: It needs Run\.$/);
    const waiting = judgeCluster(ref, cluster({}, { conditions }), false);
    assert.match('message' in waiting ? waiting.message : '', /is not ready yet: It needs Run\.$/);
  });

  test('finds the provider by its profile, or else by its label', () => {
    const labels = { 'clusters.openmcp.cloud/provider': 'chandlery', 'clusters.openmcp.cloud/profile': 'logical' };
    assert.deepEqual(reasonOf(judgeProvider(ref, undefined, profile)), ['refused', 'ClusterNotFound']);
    assert.deepEqual(judgeProvider(ref, cluster(), profile), { labels });
    assert.deepEqual(judgeProvider(ref, cluster({ labels }), undefined), { labels });
    assert.deepEqual(reasonOf(judgeProvider(ref, cluster(), undefined)), ['waiting', 'ClusterProfileNotFound']);
  });

  test('grants no access to the platform itself, not even when it serves other purposes too', () => {
    const platform = clusters.object({ name: 'a', namespace: 'n' }, { ...spec, purposes: ['mcp', 'platform'] });
    assert.deepEqual(reasonOf(judgeProvider(ref, platform, profile)), ['refused', 'PlatformCluster']);
  });

  test('must be ready the first time, and not about to vanish', () => {
    const deletionTimestamp = '2030-01-01T00:00:00Z';
    const ours = { deletionTimestamp, finalizers: ['clusters.openmcp.cloud/finalizer'] };
    const held = { deletionTimestamp, finalizers: [...ours.finalizers, 'request.clusters.openmcp.cloud/1'] };
    const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
    assert.deepEqual(reasonOf(judgeCluster(ref, cluster(), false)), ['waiting', 'ClusterNotReady']);
    assert.deepEqual(judgeCluster(ref, cluster(), true), { type: 'accepted' });
    assert.deepEqual(judgeCluster(ref, cluster({}, ready), false), { type: 'accepted' });
    assert.deepEqual(judgeCluster(ref, cluster(held, { phase: 'Ready' }), false), { type: 'accepted' });
    assert.deepEqual(reasonOf(judgeCluster(ref, cluster(ours, ready), true)), ['waiting', 'ClusterDeleting']);
    assert.equal(isVanishing(cluster({ finalizers: ours.finalizers })), false);
  });
});

describe('the phase of a request', () => {
  const settled: Standing = { phase: 'Granted', isCurrent: true, wasAccepted: true, isRequested: false };
  const accepted: Verdict = { type: 'accepted' };
  const waiting: Verdict = { type: 'waiting', reason: 'X', message: '' };
  const rejected: Verdict = { type: 'refused', reason: 'X', message: '' };
  const cases: readonly { why: string; verdict: Verdict; standing: Partial<Standing>; phase: string }[] = [
    { why: 'a new one waits for its provider', verdict: accepted, standing: { phase: undefined }, phase: 'Pending' },
    { why: 'an answer stays', verdict: accepted, standing: {}, phase: 'Granted' },
    { why: 'a denial stays', verdict: accepted, standing: { phase: 'Denied' }, phase: 'Denied' },
    { why: 'a changed spec needs a new answer', verdict: accepted, standing: { isCurrent: false }, phase: 'Pending' },
    {
      why: 'a denial was not for the changed spec',
      verdict: accepted,
      standing: { phase: 'Denied', isCurrent: false },
      phase: 'Pending',
    },
    {
      why: 'the cluster came back',
      verdict: accepted,
      standing: { phase: 'Denied', wasAccepted: false },
      phase: 'Pending',
    },
    {
      why: 'a reconcile was requested',
      verdict: accepted,
      standing: { phase: 'Denied', isRequested: true },
      phase: 'Pending',
    },
    { why: 'asking does not take away', verdict: accepted, standing: { isRequested: true }, phase: 'Granted' },
    {
      why: 'a phase of another controller is ignored',
      verdict: accepted,
      standing: { phase: 'Odd' },
      phase: 'Pending',
    },
    { why: 'there is something to come', verdict: waiting, standing: {}, phase: 'Pending' },
    { why: 'there is something wrong', verdict: rejected, standing: {}, phase: 'Denied' },
  ];
  for (const { why, verdict, standing, phase } of cases) {
    test(`${phase}: ${why}`, () => assert.equal(phaseAfter(verdict, { ...settled, ...standing }), phase));
  }
});

describe('a provider works on a request', () => {
  const labels = { 'clusters.openmcp.cloud/provider': 'chandlery', 'clusters.openmcp.cloud/profile': 'logical' };
  const conditions = [{ type: 'Accepted', status: 'True' as const }];
  const request = (metadata: object, status: object = {}): AccessRequest => ({
    ...accessRequests.object({ name: 'a', generation: 2, labels, ...metadata }, { clusterRef: ref, token: {} }),
    status: { phase: 'Pending', conditions, ...status },
  });
  const finalizers = ['clusters.openmcp.cloud/clusteraccess'];
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  const cases: readonly { why: string; request: AccessRequest; may: boolean }[] = [
    { why: 'that waits for it', request: request({}), may: true },
    { why: 'that it granted', request: request({}, { phase: 'Granted', observedGeneration: 2 }), may: true },
    {
      why: 'whose grant is of an older spec',
      request: request({}, { phase: 'Granted', observedGeneration: 1 }),
      may: false,
    },
    { why: 'that is denied', request: request({}, { phase: 'Denied', observedGeneration: 2 }), may: false },
    { why: 'without labels', request: request({ labels: {} }), may: false },
    {
      why: 'without profile',
      request: request({ labels: { ...labels, 'clusters.openmcp.cloud/profile': undefined } }),
      may: false,
    },
    {
      why: 'of another provider',
      request: request({ labels: { ...labels, 'clusters.openmcp.cloud/provider': 'x' } }),
      may: false,
    },
    { why: 'that is not accepted', request: request({}, { conditions: [] }), may: false },
    { why: 'that goes', request: request({ deletionTimestamp, finalizers }, { phase: 'Denied' }), may: true },
    { why: 'that goes without labels', request: request({ deletionTimestamp, finalizers, labels: {} }), may: true },
    { why: 'that goes and was never its own', request: request({ deletionTimestamp }), may: false },
  ];
  for (const { why, request, may } of cases) {
    test(`${why}: ${may ? 'yes' : 'no'}`, () => assert.equal(mayServe(request, 'chandlery'), may));
  }
});
