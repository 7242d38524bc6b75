import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SessionTokens } from '@chandlery/platform';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { stringify } from 'yaml';
import { OidcIssuer } from './support/oidc-issuer.ts';

const tenants = ['alice', 'bob'] as const;
type Tenant = (typeof tenants)[number];
const projectsPath = '/clusters/onboarding/apis/core.openmcp.cloud/v1alpha1';
const namespaceOf = (tenant: Tenant): string => `project-${tenant}s--ws-dev`;

/** One request to each API of the port that a signed-in user may make, and what a tenant gets. */
const apis: readonly { readonly api: string; readonly path: (tenant: Tenant) => string; readonly status: number }[] = [
  { api: 'Kubernetes, discovery', path: () => '/clusters/onboarding/apis', status: 200 },
  {
    api: 'Kubernetes, objects',
    path: tenant =>
      `/clusters/onboarding/apis/brokers.chandlery.io/v1alpha1/namespaces/${namespaceOf(tenant)}/serviceinstances`,
    status: 200,
  },
  { api: 'service manager', path: () => '/v1/service_instances', status: 200 },
  { api: 'orders', path: () => '/1/services', status: 200 },
  { api: 'fleet, of a user', path: () => '/api/dinosaurs_mgmt/v1/dinosaurs', status: 200 },
  { api: 'fleet, of any token', path: () => '/api/dinosaurs_mgmt/v1/cloud_providers', status: 200 },
  { api: 'fleet, of its administrators', path: () => '/api/dinosaurs_mgmt/v1/admin/dinosaurs', status: 404 },
  { api: 'fleet, of operators', path: () => '/api/fleet_mgmt/v1/products', status: 403 },
  { api: 'mesh', path: () => '/mesh/v1/meshes/none/proxies', status: 403 },
];

/** What an operator's session gets instead; of a user of an organisation, who an operator is not: 401. */
const operatorStatus: Readonly<Record<string, number>> = {
  'fleet, of a user': 401,
  'fleet, of its administrators': 200,
  'fleet, of operators': 200,
  mesh: 404,
};

describe('The session of a browser', () => {
  let folder: TempFolder;
  let issuer: OidcIssuer;
  let landscape: TestLandscape;
  const sessions = new Map<string, string>();

  const statusOf = async (path: string, token: string): Promise<number> =>
    (await landscape.request(path, { token })).status;

  const signIn = async (token: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const code = await landscape.request('/sign-in/codes', { token, method: 'POST', headers });
    assert.equal(code.status, 201, code.text);
    const { code: value } = code.json<{ code: string }>();
    const session = await landscape.request('/sign-in/sessions', { token: null, body: { code: value } });
    assert.equal(session.status, 201, session.text);
    return session.json<{ token: string }>().token;
  };

  /** A project with one workspace, made by the tenant with a session. */
  const settle = async (tenant: Tenant): Promise<void> => {
    const token = sessions.get(tenant) ?? '';
    const create = async (path: string, kind: string, name: string): Promise<void> => {
      const body = { apiVersion: 'core.openmcp.cloud/v1alpha1', kind, metadata: { name } };
      await eventually(async () => [201, 409].includes((await landscape.request(path, { token, body })).status), {
        timeoutMs: 60_000,
        what: `${kind} of ${tenant}`,
      });
    };
    await create(`${projectsPath}/projects`, 'Project', `${tenant}s`);
    await create(`${projectsPath}/namespaces/project-${tenant}s/workspaces`, 'Workspace', 'dev');
    const [, objects] = apis;
    await eventually(async () => (await statusOf(objects?.path(tenant) ?? '', token)) === 200, {
      timeoutMs: 60_000,
      what: `the rights of ${tenant}`,
    });
  };

  before(async () => {
    folder = await tempFolder();
    issuer = await OidcIssuer.start({ alice: [], bob: [] });
    const oidc = [{ issuer: issuer.url, audiences: ['chandlery'], usernamePrefix: 'oidc:' }];
    writeFileSync(folder.join('settings.yaml'), stringify({ oidc }));
    landscape = await startTestLandscape({ flags: ['--config', folder.join('settings.yaml')] });
    for (const tenant of tenants) sessions.set(tenant, await signIn(await issuer.login(tenant)));
    sessions.set('operator', await signIn(landscape.token));
    await Promise.all(tenants.map(settle));
  });
  after(async () => {
    await landscape?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  for (const { api, path, status } of apis) {
    it(`has the rights of its user on every API: ${api}`, async () => {
      for (const tenant of tenants) assert.equal(await statusOf(path(tenant), sessions.get(tenant) ?? ''), status);
      assert.equal(await statusOf(path('alice'), sessions.get('operator') ?? ''), operatorStatus[api] ?? 200);
    });
  }

  it('has the rights of its user in the fleet with the token of the OpenID provider too', async () => {
    assert.equal(await statusOf('/api/dinosaurs_mgmt/v1/dinosaurs', await issuer.login('alice')), 200);
  });

  it('opens no other session, so that it ends after its time', async () => {
    const account = `/clusters/onboarding/api/v1/namespaces/default/serviceaccounts`;
    const made = await landscape.request(account, {
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
    });
    assert.equal(made.status, 201, made.text);
    const issued = await landscape.request(`${account}/robot/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const { token } = issued.json<{ status: { token: string } }>().status;
    const headers = { 'x-chandlery-cluster': 'onboarding' };
    const ofRobot = await signIn(token, headers);
    for (const session of [sessions.get('alice') ?? '', sessions.get('operator') ?? '', ofRobot]) {
      const { status, text } = await landscape.request('/sign-in/codes', { token: session, method: 'POST', headers });
      assert.equal(status, 403, text);
    }
  });

  it('is asked for as often as a person signs in, and not more', async () => {
    const token = await issuer.login('bob');
    const statuses = await Promise.all(
      Array.from({ length: 90 }, () => landscape.request('/sign-in/codes', { token, method: 'POST' })),
    );
    const counts = Map.groupBy(statuses, ({ status }) => status);
    assert.ok((counts.get(201)?.length ?? 0) >= 50 && (counts.get(429)?.length ?? 0) >= 10);
    assert.equal((await landscape.request('/sign-in/codes', { method: 'POST' })).status, 201, 'others are not limited');
  });

  it('of a service account ends with the object to which its token was bound', async () => {
    const namespace = '/clusters/onboarding/api/v1/namespaces/default';
    const create = async (plural: string, body: object) => {
      const made = await landscape.request(`${namespace}/${plural}`, { body });
      assert.equal(made.status, 201, made.text);
      return made.json<{ metadata: { name: string; uid: string }; status?: { token?: string } }>();
    };
    await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bound' } });
    const { metadata } = await create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'life' } });
    const { status } = await create('serviceaccounts/bound/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef: { kind: 'Secret', name: metadata.name, uid: metadata.uid } },
    });
    const session = await signIn(status?.token ?? '', { 'x-chandlery-cluster': 'onboarding' });
    assert.equal(await statusOf('/clusters/onboarding/apis', session), 200);
    await landscape.request(`${namespace}/secrets/life`, { method: 'DELETE' });
    assert.equal(await statusOf('/clusters/onboarding/apis', session), 401);
  });

  it('is rejected by every API when it has expired or was forged', async () => {
    const key = createPrivateKey(readFileSync(join(landscape.dataDir, 'keys', 'service-account.key')));
    const user = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
    const yesterday = { now: () => new Date(Date.now() - 24 * 3600 * 1000) };
    const expired = new SessionTokens({ signingKey: key, clock: yesterday }).issue(user).token;
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const forged = new SessionTokens({ signingKey: stranger, clock: { now: () => new Date() } }).issue(user);
    const [header = '', , signature = ''] = (sessions.get('bob') ?? '').split('.');
    const [, payload = ''] = (sessions.get('operator') ?? '').split('.');
    const swapped = [header, payload, signature].join('.');
    for (const token of [expired, forged.token, swapped])
      for (const { api, path } of apis)
        assert.equal(await statusOf(path('alice'), token), 401, `${api} ${token === expired ? 'expired' : 'forged'}`);
    const { text } = await landscape.request('/api/dinosaurs_mgmt/v1/dinosaurs', { token: expired });
    assert.match(text, /expired/);
  });

  it('sees only what is its own: an instance of the fleet in all APIs of its tenant, and in none of another', async () => {
    const made = await landscape.request('/api/dinosaurs_mgmt/v1/dinosaurs?async=true', {
      token: sessions.get('alice') ?? '',
      body: { name: 'rex' },
    });
    assert.equal(made.status, 202, made.text);
    const { id } = made.json<{ id: string }>();
    const namesFor = async (tenant: Tenant, path: string): Promise<string> =>
      (await landscape.request(path, { token: sessions.get(tenant) ?? '' })).text;
    for (const path of ['/api/dinosaurs_mgmt/v1/dinosaurs', '/v1/service_instances']) {
      await eventually(async () => (await namesFor('alice', path)).includes('"rex"'), {
        timeoutMs: 60_000,
        what: `rex in ${path}`,
      });
      assert.ok(!(await namesFor('bob', path)).includes('rex'), path);
    }
    const one = `/api/dinosaurs_mgmt/v1/dinosaurs/${id}`;
    assert.equal(await statusOf(one, sessions.get('alice') ?? ''), 200);
    assert.equal(await statusOf(one, sessions.get('bob') ?? ''), 404);
    const asAlices = `${one}?organisation=${namespaceOf('alice')}`;
    assert.equal(await statusOf(asAlices, sessions.get('bob') ?? ''), 403);
    const removed = await landscape.request(`${one}?async=true`, {
      method: 'DELETE',
      token: sessions.get('bob') ?? '',
    });
    assert.equal(removed.status, 404);
    assert.equal(await statusOf(`/api/dinosaurs_mgmt/v1/admin/dinosaurs/${id}`, sessions.get('operator') ?? ''), 200);
  });
});
