import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { accessRecords } from '../kinds/index.ts';
import { admitRequest } from './admit-request.ts';

const longName = `foo-${'o'.repeat(70)}`;
const managedBy = (name: string): KubeObject => request({ labels: { 'openmcp.cloud/managed-by': name } });
const handedOver = (former: string): KubeObject =>
  request({
    labels: { 'sdk.chandlery.io/handed-over': 'true' },
    annotations: { 'sdk.chandlery.io/former-object': former },
  });
const record = (provider: string): KubeObject =>
  accessRecords.object(
    { name: 'r', namespace: 'openmcp-system' },
    {
      provider,
      object: { namespace: 'default', name: 'a' },
      role: 'mcp',
      cluster: { namespace: 'openmcp-system', name: 'c' },
    },
  );

function request(metadata: KubeObject['metadata']): KubeObject {
  return {
    apiVersion: 'clusters.openmcp.cloud/v1alpha1',
    kind: 'AccessRequest',
    metadata: { name: 'r', namespace: 'openmcp-system', ...metadata },
  };
}

describe('The account of provider foo', () => {
  for (const { why, live, object, isAllowed, provider = 'foo' } of [
    { why: 'creates its own', object: managedBy('foo'), isAllowed: true },
    { why: 'creates one without a label', object: request({}), isAllowed: true },
    { why: 'creates one in the name of another', object: managedBy('bar'), isAllowed: false },
    { why: 'changes its own', live: managedBy('foo'), object: managedBy('foo'), isAllowed: true },
    { why: 'takes over what is another’s', live: managedBy('bar'), object: managedBy('foo'), isAllowed: false },
    { why: 'gives its own to another', live: managedBy('foo'), object: managedBy('bar'), isAllowed: false },
    { why: 'hands over its own', live: managedBy('foo'), object: handedOver('foo/default/a'), isAllowed: true },
    { why: 'takes back its own', live: handedOver('foo/default/a'), object: managedBy('foo'), isAllowed: true },
    { why: 'takes what another let go', live: handedOver('bar/default/a'), object: managedBy('foo'), isAllowed: false },
    { why: 'takes what foo-2 let go', live: handedOver('foo-2/default/a'), object: managedBy('foo'), isAllowed: false },
    { why: 'deletes its own', live: managedBy('foo'), isAllowed: true },
    { why: 'deletes what is another’s', live: managedBy('bar'), isAllowed: false },
    { why: 'deletes the request of a control plane', live: managedBy('chandlery-control-planes'), isAllowed: false },
    { why: 'deletes an object without an owner', live: request({}), isAllowed: true },
    { why: 'records its own access', object: record('foo'), isAllowed: true },
    { why: 'records access of another', object: record('bar'), isAllowed: false },
    { why: 'deletes a record of another', live: record('bar'), isAllowed: false },
    { why: 'has a long name', live: managedBy(shorten(longName)), provider: longName, isAllowed: true },
  ])
    it(`${isAllowed ? 'may, when it' : 'may not, when it'} ${why}`, () => {
      const admission = admitRequest({ live, object, provider });
      assert.equal(admission.type, isAllowed ? 'allow' : 'deny');
      if (admission.type === 'deny')
        assert.match(admission.message, /belongs to "(bar|foo-2|chandlery-control-planes)"/);
    });
});
