import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { diffFields } from './field-diff.ts';
import { healthOf } from './readiness.ts';

const live = (apiVersion: string, kind: string, rest: object, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', generation: 2, ...metadata },
  ...rest,
});

const deployed = (status: object, spec: object = { replicas: 2 }) => live('apps/v1', 'Deployment', { spec, status });
const crd = (type: string, status: string) =>
  live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    status: { conditions: [{ type, status, message: 'taken' }] },
  });

const cases: { why: string; object: KubeObject; phase: string; message?: string }[] = [
  {
    why: 'a Deployment with all replicas',
    object: deployed({ observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
    phase: 'Ready',
  },
  {
    why: 'a Deployment whose latest change no controller observed',
    object: deployed({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
    phase: 'Progressing',
    message: 'its controller has not seen the latest change yet',
  },
  {
    why: 'a Deployment that still starts',
    object: deployed({ observedGeneration: 2, replicas: 2, updatedReplicas: 2 }),
    phase: 'Progressing',
    message: '0 of 2 replicas are available',
  },
  {
    why: 'a Deployment that still stops old replicas',
    object: deployed({ observedGeneration: 2, replicas: 3, updatedReplicas: 2, availableReplicas: 2 }),
    phase: 'Progressing',
    message: '1 old replicas are still there',
  },
  {
    why: 'a Deployment on a cluster that runs no pods',
    object: deployed({ conditions: [{ type: 'Available', status: 'False', reason: 'NoNode', message: 'no nodes' }] }),
    phase: 'Progressing',
    message: 'no nodes',
  },
  {
    why: 'a Deployment whose cluster has got nodes',
    object: deployed({
      observedGeneration: 2,
      conditions: [{ type: 'Available', status: 'False', reason: 'NoNode', message: 'no nodes' }],
    }),
    phase: 'Progressing',
    message: '0 of 2 replicas are up to date',
  },
  {
    why: 'a Job on a cluster that runs no pods',
    object: live('batch/v1', 'Job', {
      status: { conditions: [{ type: 'Suspended', status: 'True', reason: 'NoNode', message: 'no nodes' }] },
    }),
    phase: 'Progressing',
    message: 'no nodes',
  },
  {
    why: 'a Deployment that is stuck',
    object: deployed({
      observedGeneration: 2,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'stuck' }],
    }),
    phase: 'Failed',
    message: 'stuck',
  },
  {
    why: 'a StatefulSet with all replicas',
    object: live('apps/v1', 'StatefulSet', { status: { observedGeneration: 2, replicas: 1, readyReplicas: 1 } }),
    phase: 'Ready',
  },
  {
    why: 'a DaemonSet on all nodes but one',
    object: live('apps/v1', 'DaemonSet', {
      status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 },
    }),
    phase: 'Progressing',
    message: '2 of 3 replicas are available',
  },
  {
    why: 'a Job that is complete',
    object: live('batch/v1', 'Job', { status: { conditions: [{ type: 'Complete', status: 'True' }] } }),
    phase: 'Ready',
  },
  {
    why: 'a Job that failed',
    object: live('batch/v1', 'Job', {
      status: { conditions: [{ type: 'Failed', status: 'True', message: 'no luck' }] },
    }),
    phase: 'Failed',
    message: 'no luck',
  },
  { why: 'a Job that runs', object: live('batch/v1', 'Job', {}), phase: 'Progressing', message: 'it is not complete' },
  { why: 'a kind that is served', object: crd('Established', 'True'), phase: 'Ready' },
  { why: 'a kind whose names are taken', object: crd('NamesAccepted', 'False'), phase: 'Failed', message: 'taken' },
  { why: 'an active Namespace', object: live('v1', 'Namespace', { status: { phase: 'Active' } }), phase: 'Ready' },
  {
    why: 'a Service without the address of its load balancer',
    object: live('v1', 'Service', { spec: { type: 'LoadBalancer' } }),
    phase: 'Progressing',
    message: 'its load balancer has no address yet',
  },
  { why: 'a Service in the cluster', object: live('v1', 'Service', { spec: {} }), phase: 'Ready' },
  {
    why: 'a claim whose volume is lost',
    object: live('v1', 'PersistentVolumeClaim', { status: { phase: 'Lost' } }),
    phase: 'Failed',
    message: 'its volume is lost',
  },
  { why: 'anything else', object: live('example.org/v1', 'Deployment', {}), phase: 'Ready' },
  {
    why: 'anything that is being deleted',
    object: live('v1', 'ConfigMap', {}, { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    phase: 'Terminating',
    message: 'it is being deleted',
  },
];

describe('The health of an object', () => {
  for (const { why, object, phase, message = '' } of cases) {
    it(`${why} is ${phase}`, () => assert.deepEqual(healthOf(object), { phase, message }));
  }

  it('is what its owner says', () => {
    const object = live('batch/v1', 'Job', {});
    assert.deepEqual(
      healthOf(object, () => ({ isReady: true })),
      { phase: 'Ready', message: '' },
    );
    assert.equal(healthOf(object, () => ({ isReady: false, message: 'soon' })).message, 'soon');
  });
});

describe('The difference of two states', () => {
  it('is a sorted list of paths, without what the server keeps by itself', () => {
    const before = live('v1', 'X', { spec: { list: [{ a: 1 }], b: 1, gone: {} }, status: { old: true } });
    const after = live(
      'v1',
      'X',
      { spec: { list: [{ a: 2 }], b: 2 }, status: {} },
      { generation: 3, labels: { 'a.b/c': 'd' }, annotations: { 'sdk.chandlery.io/wish': 'x' } },
    );
    assert.deepEqual(diffFields(before, after), ['metadata.labels["a.b/c"]', 'spec.b', 'spec.gone', 'spec.list[0].a']);
    assert.deepEqual(diffFields(before, before), []);
  });
});
