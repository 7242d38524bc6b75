import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, KubeObject } from '@chandlery/api';
import { Bank, bars, fooProvider, foos } from '../test-provider.ts';
import { accessRequirementsOf } from './access-requirements.ts';
import { blockingKindsOf, describeBlockers } from './blockers.ts';
import { phaseOf } from './phase.ts';
import { receiptFor } from './receipt.ts';

const object = { namespace: 'default', name: 'example' };

describe('Requests for access', () => {
  const provider = fooProvider(new Bank());
  const placeOf = (definition: typeof provider, role: 'mcp' | 'workload') => {
    const { place, request } = accessRequirementsOf(definition, 'Foo', object)[role] ?? {};
    return [`${place?.namespace}/${place?.name}`, `${request?.namespace}/${request?.name}`, request?.purpose];
  };
  const home = 'mcp--2bcf790e-815e-8ea9-857b-15be429583a5';

  it('are beside the control plane of the object', () => {
    assert.deepEqual(placeOf(provider, 'mcp'), [`${home}/foo--example--mcp`, `${home}/example`, undefined]);
    const own = `${home}/foo--example--wl`;
    assert.deepEqual(placeOf(provider, 'workload'), [own, own, 'workload']);
  });

  it('are in the system namespace when no control plane is needed, or when all objects share them', () => {
    const { workload = { permissions: [] } } = provider.clusters ?? {};
    const alone = 'openmcp-system/foo--default--example--wl';
    assert.deepEqual(placeOf({ ...provider, clusters: { workload } }, 'workload'), [alone, alone, 'workload']);
    const shared = { ...provider, clusters: { workload: { ...workload, per: 'provider' as const } } };
    assert.deepEqual(placeOf(shared, 'workload').slice(0, 1), ['openmcp-system/foo--wl']);
  });

  it('ask for what blocking and carrying need on top', () => {
    const definition = { ...provider, clusters: { mcp: { permissions: [] } }, syncs: [{ kind: bars }] };
    const { token } = accessRequirementsOf(definition, 'foo', object).mcp ?? {};
    const resources = token?.permissions?.flatMap(({ rules }) => rules.flatMap(rule => rule.resources ?? []));
    assert.deepEqual(resources, ['customresourcedefinitions', 'bars', 'bars/status', 'bars']);
  });
});

describe('The phase of a service object', () => {
  const withConditions = (conditions: readonly Partial<Condition>[], isDeleting = false): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Foo',
    metadata: isDeleting ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {},
    status: { conditions },
  });
  const ready = { type: 'Ready', status: 'True' } as const;
  const cases: readonly { why: string; object: KubeObject; isSynced: boolean; phase: string }[] = [
    { why: 'nothing is known', object: withConditions([]), isSynced: true, phase: 'Progressing' },
    { why: 'all is well', object: withConditions([ready]), isSynced: true, phase: 'Ready' },
    { why: 'the pass failed', object: withConditions([ready]), isSynced: false, phase: 'Progressing' },
    {
      why: 'no pause is no trouble',
      object: withConditions([ready, { type: 'Paused', status: 'False' }]),
      isSynced: true,
      phase: 'Ready',
    },
    {
      why: 'another condition is false',
      object: withConditions([ready, { type: 'Other', status: 'False' }]),
      isSynced: true,
      phase: 'Progressing',
    },
    {
      why: 'what is desired cannot be had',
      object: withConditions([{ type: 'Ready', status: 'False', reason: 'UserError' }]),
      isSynced: false,
      phase: 'Failed',
    },
    { why: 'it is being deleted', object: withConditions([ready], true), isSynced: true, phase: 'Terminating' },
  ];
  for (const { why, object: given, isSynced, phase } of cases)
    it(`is ${phase} when ${why}`, () => assert.equal(phaseOf(given, isSynced), phase));
});

describe('Small decisions', () => {
  it('synced kinds block deletion, and are listed once', () => {
    const definition = { ...fooProvider(new Bank()), syncs: [{ kind: bars }] };
    assert.equal(blockingKindsOf(definition).length, 1);
  });

  it('the same objects in the way give the same sentence', () => {
    const [kind = bars] = blockingKindsOf(fooProvider(new Bank()));
    const other = { ...kind, kind: 'Baz', plural: 'bazzes' };
    const [one, two] = [
      { kind, count: 2 },
      { kind: other, count: 1 },
    ];
    assert.equal(describeBlockers([one, two]), describeBlockers([two, one]));
  });

  it('a receipt forgets nothing of an attempt that was interrupted', () => {
    const foo = foos.object({ ...object }, { version: '1' });
    const input = { object: foo, provider: 'foo', previous: undefined, now: new Date('2030-01-01T00:00:00Z') };
    const first = receiptFor({ ...input, notes: ['Account 1'] });
    const second = receiptFor({ ...input, notes: [], previous: first, now: new Date('2031-01-01T00:00:00Z') });
    assert.deepEqual(second, first);
  });

  it('a service kind keeps its own fields and gets the common ones', () => {
    const { versions } = foos.crd['spec'] as {
      versions: [
        { schema: { openAPIV3Schema: { properties: Record<string, { properties: object; required?: string[] }> } } },
      ];
    };
    const { spec, status } = versions[0].schema.openAPIV3Schema.properties;
    assert.deepEqual(Object.keys(spec?.properties ?? {}), [
      'version',
      'size',
      'deletionPolicy',
      'managementPolicies',
      'providerConfigRef',
    ]);
    assert.deepEqual(spec?.required, ['version']);
    assert.ok(['phase', 'conditions', 'resources'].every(field => field in (status?.properties ?? {})));
  });
});
