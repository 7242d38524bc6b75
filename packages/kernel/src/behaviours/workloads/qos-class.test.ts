import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PodSpec, ResourceRequirements } from './objects.ts';
import { qosClassOf } from './qos-class.ts';

const full = { cpu: '500m', memory: '1Gi' };
const cases: readonly (readonly [why: string, resources: readonly ResourceRequirements[], expected: string])[] = [
  ['nothing asked for', [{}], 'BestEffort'],
  ['zeros are nothing', [{ requests: { cpu: 0, memory: '0' } }], 'BestEffort'],
  ['other resources do not count', [{ limits: { 'ephemeral-storage': '1Gi' } }], 'BestEffort'],
  ['limits alone are requests too', [{ limits: full }], 'Guaranteed'],
  [
    'equal amounts in other words',
    [{ limits: { cpu: 1, memory: '1024Mi' }, requests: { cpu: '1000m', memory: '1Gi' } }],
    'Guaranteed',
  ],
  ['less asked for than allowed', [{ limits: full, requests: { ...full, cpu: '100m' } }], 'Burstable'],
  ['one resource only', [{ limits: { cpu: '1' } }], 'Burstable'],
  ['one container of two', [{ limits: full }, {}], 'Burstable'],
  ['requests only', [{ requests: full }], 'Burstable'],
];

describe('the quality of service of a pod', () => {
  for (const [why, resources, expected] of cases) {
    test(`is ${expected}: ${why}`, () => {
      const containers = resources.map((each, index) => ({ name: `c${index}`, resources: each }));
      assert.equal(qosClassOf({ containers }), expected);
    });
  }

  test('counts init containers', () => {
    const containers = [{ name: 'a', resources: { limits: full } }];
    assert.equal(qosClassOf({ containers, initContainers: [{ name: 'b' }] }), 'Burstable');
  });

  test('is BestEffort for what says nothing at all', () => {
    assert.equal(qosClassOf(undefined), 'BestEffort');
    assert.equal(qosClassOf({ containers: null } as unknown as PodSpec), 'BestEffort');
  });
});
