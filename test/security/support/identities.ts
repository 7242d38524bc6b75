import {
  createCertificateAuthority,
  issueCertificate,
  openLandscapeKeys,
  ServiceAccountTokens,
} from '@chandlery/platform';
import type { TestLandscape } from '@chandlery/testing';
import { authorityOf, type Caller, createCaller, type Identity } from './caller.ts';
import {
  binding,
  configMap,
  corePath,
  create,
  createAccount,
  createCluster,
  deployment,
  groupPath,
  namespace,
  pod,
  rbacPath,
  role,
  secret,
  tokenFrom,
} from './objects.ts';
import type { OidcIssuer } from './oidc-issuer.ts';

/** All identities that call the logical cluster `shop`. */
export const identityNames = [
  'anonymous',
  'bad token',
  'expired token',
  'account without rights',
  'account with a role in default',
  'account with a cluster role',
  'tenant admin',
  'member of a bound group',
  'stranger',
  'certificate user',
  'certificate of another authority',
  'admin',
  'admin as bound user',
  'admin as unbound user',
  'account as admin',
] as const;
export type IdentityName = (typeof identityNames)[number];

/** One caller for each identity; `await using` closes them. */
export interface Identities extends AsyncDisposable {
  readonly callers: Readonly<Record<IdentityName, Caller>>;
}

/** The logical cluster of the access table: objects to read, and users bound in every way. */
export async function furnishShop(admin: Caller, issuer: OidcIssuer): Promise<void> {
  await createCluster(admin, 'shop', [{ kind: 'User', name: `${issuer.url}#alice` }]);
  for (const [path, body] of [
    [`${corePath('shop')}/namespaces`, namespace('other')],
    [`${corePath('shop', 'default')}/configmaps`, configMap('there')],
    [`${corePath('shop', 'other')}/configmaps`, configMap('there')],
    [`${corePath('shop', 'default')}/secrets`, secret('there')],
    [`${corePath('shop', 'default')}/pods`, pod('there')],
    [`${groupPath('shop', 'apps/v1', 'default')}/deployments`, deployment('there')],
    [`${rbacPath('shop')}/clusterroles`, role('ClusterRole', 'reader', readEverything)],
  ] as const) {
    await create(admin, path, body);
  }
  const viewInDefault = binding('RoleBinding', 'ClusterRole/edit', [
    { kind: 'ServiceAccount', name: 'local', namespace: 'default' },
  ]);
  await create(admin, `${rbacPath('shop', 'default')}/rolebindings`, viewInDefault);
  const readEverywhere = binding('ClusterRoleBinding', 'ClusterRole/reader', [
    { kind: 'ServiceAccount', name: 'wide', namespace: 'default' },
    { kind: 'Group', name: 'oidc:builders' },
    { kind: 'User', name: 'carol' },
    { kind: 'User', name: 'bound' },
  ]);
  await create(admin, `${rbacPath('shop')}/clusterrolebindings`, readEverywhere);
}

/** All objects but secrets. */
const readEverything = [
  {
    verbs: ['get', 'list', 'watch'],
    apiGroups: ['', 'apps'],
    resources: [
      'configmaps',
      'namespaces',
      'pods',
      'pods/log',
      'deployments',
      'deployments/status',
      'deployments/scale',
    ],
  },
];

/** Makes the callers of the access table. */
export async function createIdentities(
  landscape: TestLandscape,
  admin: Caller,
  issuer: OidcIssuer,
): Promise<Identities> {
  const [bare, local, wide] = await Promise.all(
    ['bare', 'local', 'wide'].map(name => createAccount(admin, 'shop', name)),
  );
  if (bare === undefined || local === undefined || wide === undefined) throw new Error('no accounts');
  const keys = openLandscapeKeys(`${landscape.dataDir}/keys`, { now: new Date() });
  const tokens = new ServiceAccountTokens({ signingKey: keys.serviceAccountKey });
  const hourAgo = new Date(Date.now() - 3_600_000);
  const now = new Date();
  const own = issueCertificate(authorityOf(landscape), { commonName: 'carol', usages: ['client'], now });
  const foreign = createCertificateAuthority({ commonName: 'chandlery', now });
  const identities: Readonly<Record<IdentityName, Identity>> = {
    anonymous: {},
    'bad token': { token: 'no-such-token' },
    'expired token': { token: tokenFrom(tokens, { cluster: 'shop', name: 'wide', uid: wide.uid }, hourAgo) },
    'account without rights': { token: bare.token },
    'account with a role in default': { token: local.token },
    'account with a cluster role': { token: wide.token },
    'tenant admin': { token: await issuer.login('alice') },
    'member of a bound group': { token: await issuer.login('bob') },
    stranger: { token: await issuer.login('mallory') },
    'certificate user': { certificate: own },
    'certificate of another authority': {
      certificate: issueCertificate(foreign, {
        commonName: 'carol',
        organizations: ['system:masters'],
        usages: ['client'],
        now,
      }),
    },
    admin: { token: landscape.token },
    'admin as bound user': { token: landscape.token, headers: { 'impersonate-user': 'bound' } },
    'admin as unbound user': { token: landscape.token, headers: { 'impersonate-user': 'nobody' } },
    'account as admin': {
      token: wide.token,
      headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
    },
  };
  const callers = Object.fromEntries(
    identityNames.map(name => [name, createCaller(landscape, identities[name])]),
  ) as Record<IdentityName, Caller>;
  return {
    callers,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(Object.values(callers).map(caller => caller[Symbol.asyncDispose]()));
    },
  };
}
