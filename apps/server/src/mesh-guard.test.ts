import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { createHttpHost } from '@chandlery/http';
import { createKernelClient, Kernel, openStore, platformCluster, soleLeader } from '@chandlery/kernel';
import type { ResourceAttributes } from '@chandlery/mesh';
import { openAdminToken, ServiceAccountTokens, SessionTokens, silentLogger, systemClock } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { createLandscapeAuthenticator } from './authentication.ts';
import { createMeshGuard } from './mesh-guard.ts';
import { tokenIssuer } from './token-issuer.ts';

const home = 'onboarding';
const core = { group: '', version: 'v1' };
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const apiGroup = rbac.group;

const object = (apiVersion: string, kind: string, name: string, rest: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});

/** The identities: all but the first three are service accounts `shop/<name>` of a logical cluster. */
const people = {
  nobody: undefined,
  liar: undefined,
  admin: undefined,
  web: home,
  other: home,
  /** May create tokens for all service accounts of `shop`. */
  issuer: home,
  /** May do the same by impersonation. */
  actor: home,
  /** Has the same name as `web`, on the platform cluster. */
  namesake: platformCluster,
  /** May certify accounts of clusters of other servers. */
  operator: platformCluster,
} as const;
type Person = keyof typeof people;

/** Additional rights of identities. */
const rights: Readonly<Partial<Record<Person, readonly object[]>>> = {
  issuer: [{ apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] }],
  actor: [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] }],
  operator: [{ apiGroups: ['mesh.chandlery.io'], resources: ['meshes/serviceaccounts'], verbs: ['create'] }],
};

const accountName = (person: Person): string => (person === 'namesake' ? 'web' : person);

/** A kernel with these identities, and a host with the authorizer. */
async function startWorld() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const sessions = new SessionTokens({ signingKey, clock: systemClock });
  const tokens = new ServiceAccountTokens({
    signingKey,
  });
  const cipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };
  const kernel = stack.use(
    new Kernel({ store, cipher, leadership: soleLeader, tokens: tokenIssuer(tokens), onFailure: () => undefined }),
  );
  await kernel.start();
  for (const cluster of [home, platformCluster]) {
    await using client = createKernelClient(kernel, { cluster });
    await client.create({ ...core, plural: 'namespaces' }, object('v1', 'Namespace', 'shop'));
  }
  const adminToken = openAdminToken(folder.path);
  const header: Partial<Record<Person, string>> = { admin: `Bearer ${adminToken.token}`, liar: 'Bearer a.b.c' };
  for (const [person, cluster] of Object.entries(people) as [Person, string | undefined][])
    if (cluster !== undefined) header[person] = `Bearer ${await enrol(kernel, tokens, { person, cluster })}`;
  const authenticator = createLandscapeAuthenticator({
    kernel,
    adminToken,
    tokens,
    sessions,
    oidc: [],
    logger: silentLogger,
  });
  // `member` is the name of the cluster `onboarding` in the mesh; `far` is on another server.
  const logicalNameOf = async (member: string) => ({ [home]: home, member: home })[member];
  const guard = createMeshGuard({ kernel, authenticator, logicalNameOf });
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  stack.defer(() => host.close({ graceMs: 0 }));
  host.app.post('/wish', async (request, reply) => {
    await guard(request, JSON.parse(String(await host.readBody(request.raw, reply.raw))) as ResourceAttributes);
    return {};
  });
  const { port } = await host.listenPlain({ port: 0 });
  const owned = stack.move();
  return { url: `http://127.0.0.1:${port}/wish`, header, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Creates the service account with its rights, and a token. */
async function enrol(
  kernel: Kernel,
  tokens: ServiceAccountTokens,
  { person, cluster }: { readonly person: Person; readonly cluster: string },
): Promise<string> {
  await using client = createKernelClient(kernel, { cluster });
  const name = accountName(person);
  const made = await client.create(
    { ...core, plural: 'serviceaccounts', namespace: 'shop' },
    object('v1', 'ServiceAccount', name),
  );
  const rules = rights[person];
  if (rules !== undefined) {
    const version = `${apiGroup}/v1`;
    await client.create({ ...rbac, plural: 'clusterroles' }, object(version, 'ClusterRole', person, { rules }));
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'shop' }];
    const roleRef = { apiGroup, kind: 'ClusterRole', name: person };
    const binding = object(version, 'ClusterRoleBinding', person, { subjects, roleRef });
    await client.create({ ...rbac, plural: 'clusterrolebindings' }, binding);
  }
  const { uid = '' } = made.metadata;
  return tokens.issue({ cluster, namespace: 'shop', name, uid, now: new Date() }).token;
}

const tokenWish = (cluster: string, name: string): ResourceAttributes => ({
  ...{ cluster, verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token' },
  ...{ namespace: 'shop', name },
});

describe('the guard of the mesh', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  const answer = (
    person: Person,
    wish: ResourceAttributes,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const authorization = world.header[person];
    const headers = { ...(authorization === undefined ? {} : { authorization }), ...more };
    return fetch(world.url, { method: 'POST', body: JSON.stringify(wish), headers });
  };
  const ask = async (...asked: Parameters<typeof answer>): Promise<number> => (await answer(...asked)).status;

  /** The allowed identities; all others are rejected, with 401 if their credentials are not valid there. */
  const cases: readonly {
    why: string;
    wish: ResourceAttributes;
    allowed: readonly Person[];
    unknown: readonly Person[];
  }[] = [
    {
      why: 'an account may have certificates for itself, and so may those who may make tokens for it',
      wish: tokenWish(home, 'web'),
      allowed: ['admin', 'web', 'issuer'],
      unknown: ['liar', 'namesake', 'operator'],
    },
    {
      why: 'a member is judged by the roles of the logical cluster behind it',
      wish: tokenWish('member', 'web'),
      allowed: ['admin', 'web', 'issuer'],
      unknown: ['liar', 'namesake', 'operator'],
    },
    {
      why: 'accounts of clusters that others serve are for those whom the platform cluster trusts, and for no namesake',
      wish: tokenWish('far', 'web'),
      allowed: ['admin', 'operator'],
      unknown: ['liar', 'web', 'other', 'issuer', 'actor'],
    },
    {
      why: 'to be an account is no right to anything else that has its name',
      wish: { ...tokenWish(home, 'web'), resource: 'services' },
      allowed: ['admin'],
      unknown: ['liar', 'namesake', 'operator'],
    },
    {
      why: 'to be an account is no right to change it',
      wish: { cluster: home, verb: 'create', group: '', resource: 'serviceaccounts', namespace: 'shop', name: 'web' },
      allowed: ['admin'],
      unknown: ['liar', 'namesake', 'operator'],
    },
    {
      why: 'who is nobody but an account does not look at the mesh',
      wish: { cluster: home, verb: 'get', group: 'mesh.chandlery.io', resource: 'proxies' },
      allowed: ['admin'],
      unknown: ['liar', 'namesake', 'operator'],
    },
  ];
  for (const { why, wish, allowed, unknown } of cases)
    test(why, async () => {
      const found: Record<string, number> = {};
      for (const person of Object.keys(people) as Person[]) found[person] = await ask(person, wish);
      const wanted = Object.keys(people).map(person => {
        const status = unknown.includes(person as Person) ? 401 : 403;
        return [person, allowed.includes(person as Person) ? 200 : status];
      });
      assert.deepEqual(found, Object.fromEntries(wanted));
    });

  test('a cluster that is not there looks to strangers like one that is, and operators are told which right is missing', async () => {
    const wish = { cluster: home, verb: 'list', group: 'metrics.smi-spec.io', resource: 'services' };
    const text = async (person: Person, cluster: string): Promise<string> =>
      (await answer(person, { ...wish, cluster })).text();
    assert.match(await text('nobody', home), /cannot list resource .*services.* in API group/);
    assert.equal(await text('nobody', 'nowhere'), await text('nobody', home));
    assert.match(await text('operator', 'nowhere'), /meshes\/services/);
  });

  test('who acts for somebody else has the rights of that one, and must be allowed to', async () => {
    const wish = tokenWish(home, 'web');
    const as = (name: string) => ({ 'impersonate-user': `system:serviceaccount:shop:${name}` });
    assert.equal(await ask('actor', wish, as('issuer')), 200);
    assert.equal(await ask('actor', wish, as('other')), 403);
    assert.equal(await ask('other', wish, as('issuer')), 403);
    assert.equal(await ask('admin', wish, as('other')), 403);
  });
});
