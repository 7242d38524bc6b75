import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { formatYaml } from '@chandlery/client';
import type { SurveyedObject } from '../objects/managed-objects.ts';
import { copiesOf, keptKinds } from './retention.ts';

const jwtOf = (sub: string, salt: string): string =>
  ['{"alg":"none"}', JSON.stringify({ sub }), salt].map(part => Buffer.from(part).toString('base64url')).join('.');

const kubeconfigWith = (token: string): string =>
  formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://x' } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  });

const found = (role: 'mcp' | 'workload', kind: string, name: string, text = ''): SurveyedObject => {
  const object: KubeObject = { apiVersion: 'v1', kind, metadata: { name, namespace: 'n' }, data: { x: btoa(text) } };
  return { role, object, ref: { group: '', version: 'v1', plural: `${kind.toLowerCase()}s`, namespace: 'n', name } };
};

describe('What a service that is let go needs', () => {
  const account = 'system:serviceaccount:openmcp-access:mine';
  const connection = { id: 'x', client: undefined as never, kubeconfig: kubeconfigWith(jwtOf(account, 'new')) };
  const clusters = new Map([['workload' as const, { namespace: 's', name: 'work' }]]);
  const fixture = { connections: { mcp: connection }, clusters };

  it('are the Secrets that hold its token, an older one too', () => {
    const all = [
      found('workload', 'Secret', 'files', jwtOf(account, 'old')),
      found('workload', 'Secret', 'inside', kubeconfigWith(jwtOf(account, 'new'))),
      found('workload', 'Secret', 'other', jwtOf(`${account}-not`, 'new')),
      found('workload', 'ConfigMap', 'text', jwtOf(account, 'new')),
      found('mcp', 'Secret', 'unreachable', jwtOf(account, 'new')),
    ];
    assert.deepEqual(
      copiesOf(all, 'mcp', fixture).map(({ name }) => name),
      ['files', 'inside'],
    );
    assert.deepEqual(copiesOf(all, 'workload', fixture), []);
  });

  it('are the kinds on its cluster, each once', () => {
    const all = [found('workload', 'Secret', 'a'), found('workload', 'Secret', 'b'), found('mcp', 'ConfigMap', 'c')];
    assert.deepEqual(keptKinds(all, 'workload'), [{ group: '', version: 'v1', plural: 'secrets' }]);
  });
});
