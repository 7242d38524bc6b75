import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatYaml, parseKubeconfig } from '@chandlery/client';
import { kubeconfigOf } from './kubeconfig.ts';

describe('a kubeconfig', () => {
  test('says where, whom to trust, and by which token', () => {
    const object = kubeconfigOf('alpha', { server: 'https://a', caPem: 'PEM' }, { type: 'token', token: 't' });
    const config = parseKubeconfig(formatYaml(object), 'the test');
    assert.deepEqual(config.clusters, [
      { name: 'alpha', cluster: { server: 'https://a', 'certificate-authority-data': 'UEVN' } },
    ]);
    assert.deepEqual(config.users, [{ name: 'alpha', user: { token: 't' } }]);
    assert.deepEqual(config.contexts, [{ name: 'alpha', context: { cluster: 'alpha', user: 'alpha' } }]);
    assert.equal(config['current-context'], 'alpha');
  });

  test('leaves trust to the system where the cluster has no authority of its own', () => {
    const object = kubeconfigOf('alpha', { server: 'https://a', caPem: undefined }, { type: 'token', token: 't' });
    assert.deepEqual(parseKubeconfig(formatYaml(object), 'the test').clusters[0]?.cluster, { server: 'https://a' });
  });

  test('passes on how the server is trusted otherwise', () => {
    const address = { server: 'https://a', caPem: 'PEM', tlsServerName: 'b' };
    const clusterOf = (more: object): object => {
      const object = kubeconfigOf('alpha', { ...address, ...more }, { type: 'token', token: 't' });
      return parseKubeconfig(formatYaml(object), 'the test').clusters[0]?.cluster ?? {};
    };
    const named = { server: 'https://a', 'tls-server-name': 'b' };
    assert.deepEqual(clusterOf({}), { ...named, 'certificate-authority-data': 'UEVN' });
    assert.deepEqual(clusterOf({ isInsecure: true }), { ...named, 'insecure-skip-tls-verify': true });
  });
});
