import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError } from '@chandlery/api';
import { createHttpHost, silentLogger } from '@chandlery/http';
import { eventually } from '@chandlery/testing';
import { createCsr } from '../certificates/csr/create-csr.ts';
import { ensureRootKey } from '../certificates/roots/ensure-root-key.ts';
import { startTestAuthority } from '../certificates/test-authority.ts';
import { meshRootCertificates } from '../kinds/mesh-root-certificate.ts';
import type { ResourceAttributes } from './authorizer.ts';
import { addCertificateRoute } from './certificate-route.ts';
import { addTrustRoute } from './trust-route.ts';

interface Trust {
  readonly trustVersion: string;
  readonly trustBundle: string;
  readonly trustDomain: string;
}

/** Whether accounts exist; undefined for cluster `far`, which is not readable. */
const known = new Map<string, boolean | undefined>([
  ['web', true],
  ['vault', true],
  ['ghost', false],
  ['far', undefined],
]);

/** The routes of a landscape with one mesh, `acme` of cluster `eu-1`, in which access to `bank/vault` is denied. */
async function startRoutes() {
  const mesh = await startTestAuthority();
  const { authority } = mesh;
  const wishes: ResourceAttributes[] = [];
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  const options = {
    authority,
    tenantOf: async (cluster: string) => (cluster === 'eu-1' ? 'acme' : undefined),
    authorize: async (_request: unknown, attributes: ResourceAttributes) => {
      wishes.push(attributes);
      if (attributes.namespace === 'bank') throw apiError('Forbidden', 'not you');
    },
    hasAccount: async (_cluster: string, { name }: { readonly name: string }) => known.get(name),
  };
  addCertificateRoute(host, options);
  addTrustRoute(host, { ...options, xdsPort: 19_000 });
  const ask = async (path: string, body?: object) => {
    const url = `/mesh/v1/clusters/${path}`;
    const answer = await host.app.inject(
      body === undefined ? { url } : { url, method: 'POST', payload: JSON.stringify(body) },
    );
    return { status: answer.statusCode, body: answer.json<Record<string, string> & Trust>() };
  };
  return {
    authority,
    client: mesh.client,
    wishes,
    ask,
    [Symbol.asyncDispose]: async () => {
      await host.close({ graceMs: 0 });
      await mesh[Symbol.asyncDispose]();
    },
  };
}

const web = 'eu-1/namespaces/shop/serviceaccounts/web';
const vault = 'eu-1/namespaces/bank/serviceaccounts/vault';

test('a certificate has its trust version, and the current trust can be read', async () => {
  await using routes = await startRoutes();
  const signed = await routes.ask(`${web}/certificates`, { csr: createCsr().csr });
  assert.equal(signed.status, 201);
  const { trustVersion, trustBundle, trustDomain } = routes.authority;
  const { status, body } = await routes.ask(`${web}/trust`);
  assert.deepEqual([status, body], [200, { trustVersion, trustBundle, trustDomain, tenant: 'acme', xdsPort: 19_000 }]);
  assert.equal(signed.body.trustVersion, trustVersion);
  const { ref } = meshRootCertificates;
  const addRoot = (role: 'passive') =>
    routes.client.create(ref, meshRootCertificates.object({ name: 'next' }, { role, trustDomain, validityDays: 1 }));
  await ensureRootKey(routes.client, await addRoot('passive'), new Date());
  const later = await eventually(async () => {
    const { body: now } = await routes.ask(`${web}/trust`);
    return now.trustVersion === trustVersion ? undefined : now;
  });
  assert.notEqual(later.trustBundle, trustBundle);
});

test('the trust and the port for proxies are readable for callers that may get a certificate only', async () => {
  await using routes = await startRoutes();
  const csr = { csr: createCsr().csr };
  const refused = await routes.ask(`${vault}/trust`);
  assert.equal(refused.status, 403);
  assert.doesNotMatch(JSON.stringify(refused.body), /CERTIFICATE|19000/);
  assert.equal((await routes.ask(`${vault}/certificates`, csr)).status, 403);
  const [trust, certificate] = routes.wishes;
  assert.deepEqual(trust, certificate);
  const wanted = {
    verb: 'create',
    resource: 'serviceaccounts',
    subresource: 'token',
    namespace: 'bank',
    name: 'vault',
  };
  assert.deepEqual(trust, { ...wanted, cluster: 'eu-1', group: '' });
});

test('a cluster that is in no mesh has no trust', async () => {
  await using routes = await startRoutes();
  for (const [path, body] of [['trust'], ['certificates', { csr: createCsr().csr }]] as const) {
    const answer = await routes.ask(`us-1/namespaces/shop/serviceaccounts/web/${path}`, body);
    assert.equal(answer.status, 404, path);
  }
});

test('a missing account is rejected by name; for accounts that are not readable, authorization decides', async () => {
  await using routes = await startRoutes();
  const csr = { csr: createCsr().csr };
  const pathOf = (name: string): string => `eu-1/namespaces/shop/serviceaccounts/${name}`;
  for (const [path, body] of [['trust'], ['certificates', csr]] as const) {
    const refused = await routes.ask(`${pathOf('ghost')}/${path}`, body);
    assert.equal(refused.status, 404, path);
    assert.match(refused.body['message'] ?? '', /no service account "shop\/ghost" on cluster "eu-1"/);
    assert.match(refused.body['hint'] ?? '', /kubectl create serviceaccount ghost --namespace shop/);
  }
  assert.equal((await routes.ask(`${pathOf('far')}/certificates`, csr)).status, 201);
});
