import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findOffer } from './find-offer.ts';
import { allRightsOn } from './rights.ts';
import { decodeSecret, encodeSecret } from './secret-data.ts';
import { deploymentOf } from './workloads.ts';

describe('What providers are built from', () => {
  it('rights name their group and resources', () => {
    const { apiGroups, resources, verbs } = allRightsOn('apps', 'deployments', 'statefulsets');
    assert.deepEqual([apiGroups, resources], [['apps'], ['deployments', 'statefulsets']]);
    assert.ok(verbs.includes('delete') && !verbs.includes('*'));
  });

  it('a version is offered, or the message names those that are', () => {
    const offers = [
      { version: 'v2', image: 'b' },
      { version: 'v1', image: 'a' },
    ];
    assert.equal(findOffer(offers, 'v1').image, 'a');
    assert.throws(() => findOffer(offers, 'v3'), { code: 'TerminalError', message: /"v3" .*: v1, v2$/ });
  });

  it('a Secret holds texts', () => {
    const texts = { token: 'äöü', empty: '' };
    assert.deepEqual(decodeSecret(encodeSecret(texts)), texts);
    assert.deepEqual(decodeSecret(), {});
  });

  it('a Deployment selects its own pods', () => {
    const base = { name: 'shop', namespace: 'shop-1', container: { image: 'shop:1', args: ['serve'] } };
    const { spec } = deploymentOf(base) as unknown as { spec: Record<string, unknown> };
    assert.deepEqual(spec, {
      replicas: 1,
      selector: { matchLabels: { app: 'shop' } },
      template: {
        metadata: { labels: { app: 'shop' } },
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'shop', image: 'shop:1', args: ['serve'] }],
        },
      },
    });
    const withAccount = deploymentOf({ ...base, pod: { serviceAccountName: 'shop' }, spec: { replicas: 2 } });
    assert.doesNotMatch(JSON.stringify(withAccount), /automount/);
    assert.match(JSON.stringify(withAccount), /"replicas":2/);
  });
});
