import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, KubeObject } from '@chandlery/api';
import {
  type AccessRequest,
  type Cluster,
  type ClusterRequest,
  clusterRequests,
  tenantNamespace,
} from '@chandlery/clusters/kinds';
import { type ControlPlane, type ControlPlaneConfig, controlPlanes } from '../../kinds/index.ts';
import { accessesOf } from './accesses.ts';
import { copiedLabels, identityOf } from './control-plane-names.ts';
import { copiedSecret, purposeOf } from './control-plane-objects.ts';
import { planCopy } from './copy-secret.ts';
import { clusterConditions, exposedEndpoints } from './observed-cluster.ts';
import { phaseOf } from './phase.ts';
import { accessRequestState, clusterRequestState } from './request-state.ts';
import { requestsToDelete } from './requests-to-delete.ts';

const config: ControlPlaneConfig['spec'] = { mcpClusterPurpose: 'mcp', reconcileMCPEveryXDays: 0 };
const make = (spec: ControlPlane['spec'], metadata: KubeObject['metadata'] = {}): ControlPlane =>
  controlPlanes.object({ name: 'a', namespace: 'n', uid: '1', ...metadata }, spec);
const provider = (name: string) => ({
  name,
  issuer: 'https://issuer',
  clientID: 'id',
  usernameClaim: 'sub',
  groupsClaim: 'groups',
});
const roleBindings = [{ subjects: [{ kind: 'User' as const, name: 'anne' }], roleRefs: [] }];

describe('The ways into a control plane', () => {
  const withDefault = { ...config, defaultOIDCProvider: provider('corp') };
  const table = [
    { why: 'one that says nothing can be opened', spec: {}, wanted: ['token-admin.a.kubeconfig'], bad: [] },
    { why: 'one that wants none has none', spec: { iam: {} }, wanted: [], bad: [] },
    {
      why: 'tokens, with underscores as dashes',
      spec: { iam: { tokens: [{ name: 'ci_bot' }] } },
      wanted: ['token-ci-bot.a.kubeconfig'],
      bad: [],
    },
    {
      why: 'two names that make the same Secret',
      spec: { iam: { tokens: [{ name: 'a_b' }, { name: 'a-b' }] } },
      wanted: ['token-a-b.a.kubeconfig'],
      bad: ['token_a-b.duplicate'],
    },
    { why: 'names that no Secret can have', spec: { iam: { tokens: [{ name: 'A!' }] } }, wanted: [], bad: ['token_A'] },
    {
      why: 'the default provider, for those who bind roles',
      spec: { iam: { oidc: { defaultProvider: { roleBindings } } } },
      config: withDefault,
      wanted: ['oidc-corp.a.kubeconfig'],
      bad: [],
    },
    {
      why: 'the default provider without roles',
      spec: { iam: { oidc: {} } },
      config: withDefault,
      wanted: [],
      bad: [],
    },
    {
      why: 'a default provider that is not there',
      spec: { iam: { oidc: { defaultProvider: { roleBindings } } } },
      wanted: [],
      bad: ['oidc_default'],
    },
    {
      why: 'an extra provider, but not one named like the default',
      spec: {
        iam: { oidc: { defaultProvider: { roleBindings }, extraProviders: [provider('corp'), provider('mine')] } },
      },
      config: withDefault,
      wanted: ['oidc-corp.a.kubeconfig', 'oidc-mine.a.kubeconfig'],
      bad: ['oidc_corp.duplicate'],
    },
  ];
  for (const { why, spec, wanted, bad, config: own = config } of table) {
    it(why, () => {
      const accesses = accessesOf(make(spec), own);
      assert.deepEqual(
        accesses.wanted.map(({ secretName }) => secretName),
        wanted,
      );
      assert.deepEqual(
        accesses.bad.map(({ id }) => id),
        bad,
      );
    });
  }

  it('have names that fit, however long that of the control plane is', () => {
    const [access] = accessesOf(make({}, { name: 'x'.repeat(200) }), config).wanted;
    assert.equal(access?.secretName.length, 63);
    assert.equal(access.requestName.length, 63);
  });
});

describe('The names of a control plane', () => {
  it('differ between tenants, and labels fit', () => {
    const identity = identityOf(make({}, { name: 'x'.repeat(100) }));
    assert.notEqual(identity.tenantNamespace, tenantNamespace('other', 'x'.repeat(100)));
    assert.ok(Object.values(identity.labels).every(({ length }) => length <= 63));
    assert.deepEqual(copiedLabels(identityOf(make({})), { project: 'p', workspace: undefined }), {
      'metadata.open-control-plane.io/cp-name': 'a',
      'metadata.open-control-plane.io/cp-namespace': 'n',
      'metadata.open-control-plane.io/project': 'p',
    });
  });

  it('the purpose is chosen once', () => {
    const request = clusterRequests.object({}, { purpose: 'first' });
    const labelled = make({}, { labels: { 'core.openmcp.cloud/purpose': 'mcp-big' } });
    assert.equal(purposeOf(make({}), config, undefined), 'mcp');
    assert.equal(purposeOf(labelled, config, undefined), 'mcp-big');
    assert.equal(purposeOf(labelled, config, request), 'first');
  });
});

describe('A request', () => {
  const request = (status: object, metadata = {}): ClusterRequest => ({
    ...clusterRequests.object({ name: 'a', namespace: 'n', ...metadata }, { purpose: 'mcp' }),
    status,
  });
  const conflict = { type: 'Ready', status: 'False', reason: 'ClusterConflict', message: 'Taken by b.' };
  const cluster = { name: 'c', namespace: 'n' };
  const table = [
    { why: 'granted', request: request({ phase: 'Granted', cluster }), expected: 'granted' },
    {
      why: 'granted, yet nothing is there',
      request: request({ phase: 'Granted' }),
      expected: 'WaitingForClusterRequest',
    },
    { why: 'new', request: request({}), expected: 'WaitingForClusterRequest' },
    { why: 'in conflict', request: request({ phase: 'Pending', conditions: [conflict] }), expected: 'ClusterConflict' },
    {
      why: 'for a cluster that does not exist',
      request: request({ phase: 'Denied', conditions: [{ ...conflict, reason: 'CapabilityMissing' }] }),
      expected: 'CapabilityMissing',
    },
    {
      why: 'paused once',
      request: request({ conditions: [{ type: 'Paused', status: 'False', reason: 'Resumed' }] }),
      expected: 'WaitingForClusterRequest',
    },
    {
      why: 'leaving',
      request: request({ phase: 'Granted', cluster }, { deletionTimestamp: 'now' }),
      expected: 'WaitingForClusterRequestDeletion',
    },
  ];
  for (const { why, request, expected } of table) {
    it(why, () => {
      const state = clusterRequestState(request);
      assert.equal(state.type === 'granted' ? state.type : state.reason, expected);
    });
  }

  it('says what the other side says', () => {
    const state = clusterRequestState(request({ phase: 'Denied', conditions: [conflict] }));
    assert.deepEqual(
      state.type === 'waiting' && state.message,
      'ClusterRequest "n/a" on the platform cluster is denied: Taken by b.',
    );
    const access = { kind: 'AccessRequest', metadata: {}, status: { phase: 'Granted', secretRef: { name: 's' } } };
    assert.deepEqual(accessRequestState(access as AccessRequest), { type: 'granted', value: 's' });
  });
});

describe('The cluster as tenants see it', () => {
  const endpoints = [
    { name: 'external', url: 'https://x' },
    { name: 'internal', url: 'https://i' },
  ];
  const cluster = {
    status: {
      endpoints,
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Fine' },
        { type: 'Paused', status: 'False' },
        { type: 'RunReady', status: 'False', reason: 'NoNode' },
      ],
    },
  } as unknown as Cluster;

  it('has the endpoints that the operator shows', () => {
    const show = (exposed: ControlPlaneConfig['spec']['exposedEndpoints']) =>
      exposedEndpoints(cluster, { ...config, ...(exposed === undefined ? {} : { exposedEndpoints: exposed }) });
    assert.deepEqual(show(undefined), endpoints);
    assert.deepEqual(show([]), []);
    assert.deepEqual(show([{ name: 'external', renameTo: 'api' }, { name: 'none' }]), [
      { name: 'api', url: 'https://x' },
    ]);
  });

  it('has the conditions of the cluster, without whether it is paused and what Ready sums up', () => {
    assert.deepEqual(clusterConditions(cluster), [
      { type: 'Cluster.Ready', status: 'True', reason: 'Fine', message: '' },
    ]);
  });
});

describe('The copy of a Secret', () => {
  const owner = make({});
  const identity = identityOf(owner);
  const [access] = accessesOf(owner, config).wanted;
  assert.ok(access);
  const source: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: {}, data: { kubeconfig: 'eA==' } };
  const copy = copiedSecret(owner, identity, access, source);
  const foreign: KubeObject = { ...copy, metadata: { name: 'token-admin.a.kubeconfig' } };
  const table = [
    { why: 'is made', actual: undefined, isOurs: false, expected: 'create' },
    { why: 'is true', actual: copy, isOurs: true, expected: 'nothing' },
    { why: 'has other data', actual: { ...copy, data: { more: '' } }, isOurs: true, expected: 'replace' },
    {
      why: 'lost its owner',
      actual: { ...copy, metadata: { ...copy.metadata, ownerReferences: [] } },
      isOurs: true,
      expected: 'replace',
    },
    {
      why: 'lost its labels',
      actual: { ...copy, metadata: { ...copy.metadata, labels: {} } },
      isOurs: false,
      expected: 'replace',
    },
    { why: 'has another type', actual: { ...copy, type: 'other' }, isOurs: true, expected: 'recreate' },
    { why: 'was frozen', actual: { ...copy, immutable: true }, isOurs: true, expected: 'recreate' },
    { why: 'belongs to another owner', actual: foreign, isOurs: false, expected: 'foreign' },
  ];
  for (const { why, actual, isOurs, expected } of table) {
    it(why, () => assert.equal(planCopy(copy, actual, isOurs).type, expected));
  }
});

describe('ClusterRequests at the end', () => {
  const identity = identityOf(make({}));
  const request = (name: string, labels: Readonly<Record<string, string>> = identity.labels): ClusterRequest =>
    clusterRequests.object({ name, labels: { ...labels } }, { purpose: 'p' });
  const table = [
    { why: 'others go first', finalizers: [], all: [request('a'), request('b')], expected: ['b'] },
    { why: 'then the own one', finalizers: [], all: [request('a'), request('c', {})], expected: ['a'] },
    { why: 'those with a finalizer too', finalizers: ['c'], all: [request('a'), request('c', {})], expected: ['c'] },
    { why: 'not that of another owner with the same name', finalizers: ['a'], all: [request('a', {})], expected: [] },
  ];
  for (const { why, finalizers, all, expected } of table) {
    it(why, () => {
      const names = requestsToDelete(identity, finalizers, all).map(({ metadata }) => metadata.name);
      assert.deepEqual(names, expected);
    });
  }
});

describe('The phase', () => {
  const condition = (type: string, status: Condition['status']): Condition => ({ type, status });
  const table = [
    { conditions: [], isDeleting: false, expected: 'Progressing' },
    { conditions: [condition('Meta', 'True')], isDeleting: false, expected: 'Ready' },
    { conditions: [condition('Meta', 'True'), condition('Paused', 'False')], isDeleting: false, expected: 'Ready' },
    { conditions: [condition('Meta', 'Unknown')], isDeleting: false, expected: 'Progressing' },
    { conditions: [condition('Meta', 'True')], isDeleting: true, expected: 'Terminating' },
  ];
  for (const { conditions, isDeleting, expected } of table) {
    it(`${JSON.stringify(conditions)} is ${expected}`, () => assert.equal(phaseOf(conditions, isDeleting), expected));
  }
});
