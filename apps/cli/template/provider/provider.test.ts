import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testContext } from '@chandlery/sdk/testing';
import { sampleConfigs, samples } from './kinds.ts';
import { provider } from './provider.ts';

const config = sampleConfigs.object(
  { name: 'sample' },
  { pollInterval: '1m', versions: [{ version: 'v1', image: 'example.com/sample:v1' }] },
);
const spec = (version: string) =>
  samples.object({ name: 'tenant', namespace: 'default' }, { version, greeting: 'Hello', deletionPolicy: 'Delete' });

describe('Every Sample', () => {
  it('is a kind on the control plane and a process on the workload cluster', () => {
    const object = spec('v1');
    const desired = provider.service.desired?.(object, testContext({ object, config })) ?? [];
    assert.deepEqual(
      desired.map(({ cluster, object: { kind } }) => `${cluster} ${kind}`),
      ['mcp CustomResourceDefinition', 'workload Namespace', 'workload Secret', 'workload Deployment'],
    );
  });

  it('of a version that is not offered is rejected, and the message names those that are', () => {
    const object = spec('v0');
    assert.throws(() => provider.service.desired?.(object, testContext({ object, config })), /choose one of: v1/);
  });
});
