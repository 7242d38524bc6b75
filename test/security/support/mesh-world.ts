import { createCsr } from '../../../domains/mesh/src/certificates/csr/create-csr.ts';
import { allowCalls, declareService } from '../../conformance/xds/support/declare-service.ts';
import {
  createMeshCluster,
  type MeshLandscape,
  namespace,
  startMeshLandscape,
  tenant,
} from '../../conformance/xds/support/mesh-landscape.ts';
import { type Caller, createCaller } from './caller.ts';
import { binding, corePath, create, expectStatus, rbacPath } from './objects.ts';
import { createPerson } from './tenants.ts';

/** The tenant beside {@link tenant}, with a service and an account of the same names. */
export const rival = 'bank-mesh';

/** All identities that may access the mesh, by their relation to {@link tenant}. */
export const meshPeople = {
  nobody: 'says nothing about themselves',
  'bad token': 'shows a token that nobody has issued',
  mallory: 'is known to the landscape and has no rights',
  alice: 'administers the logical cluster',
  vera: 'looks at the logical cluster',
  bob: 'administers the logical cluster of the other tenant',
  web: 'is a service account',
  other: 'is another service account of the same namespace',
  namesake: 'is a service account of the same name at the other tenant',
  operator: 'runs the landscape',
} as const;
export type MeshPerson = keyof typeof meshPeople;

/** A landscape with two tenants, each with a mesh of its own in which the account `web` may call `catalog`. */
export interface MeshWorld extends AsyncDisposable {
  readonly mesh: MeshLandscape;
  readonly callers: Readonly<Record<MeshPerson, Caller>>;
}

/** Starts it. */
export async function startMeshWorld(): Promise<MeshWorld> {
  await using stack = new AsyncDisposableStack();
  const mesh = stack.use(await startMeshLandscape());
  const { landscape } = mesh;
  await createMeshCluster(landscape, rival);
  for (const cluster of [tenant, rival]) await openShop(mesh, cluster);
  const operator = stack.use(createCaller(landscape, { token: landscape.token }));
  await bind(operator, tenant, { alice: 'cluster-admin', vera: 'view' });
  await bind(operator, rival, { bob: 'cluster-admin' });
  const account = async (cluster: string, name: string): Promise<Caller> =>
    createCaller(landscape, { token: await createToken(operator, cluster, name) });
  const callers: Record<MeshPerson, Caller> = {
    nobody: createCaller(landscape),
    'bad token': createCaller(landscape, { token: 'no-such-token' }),
    mallory: createPerson(landscape, 'mallory'),
    alice: createPerson(landscape, 'alice'),
    vera: createPerson(landscape, 'vera'),
    bob: createPerson(landscape, 'bob'),
    web: await account(tenant, 'web'),
    other: await account(tenant, 'other'),
    namesake: await account(rival, 'web'),
    operator,
  };
  for (const caller of Object.values(callers)) stack.use(caller);
  const owned = stack.move();
  return { mesh, callers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function openShop(mesh: MeshLandscape, cluster: string): Promise<void> {
  const client = mesh.clientOf(cluster);
  await declareService(client, { name: 'catalog', endpoints: [{ ip: cluster === tenant ? '10.0.0.1' : '10.9.9.9' }] });
  await allowCalls(client, { name: 'web-to-catalog', from: ['web'], to: 'catalog' });
}

async function bind(operator: Caller, cluster: string, roles: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, role] of Object.entries(roles)) {
    const body = binding('ClusterRoleBinding', `ClusterRole/${role}`, [{ kind: 'User', name }]);
    await create(operator, `${rbacPath(cluster)}/clusterrolebindings`, body);
  }
}

/** A new service account in {@link namespace}, and a token of it. */
async function createToken(operator: Caller, cluster: string, name: string): Promise<string> {
  const accounts = `${corePath(cluster, namespace)}/serviceaccounts`;
  await create(operator, accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = expectStatus(await operator.send(`${accounts}/${name}/token`, { body }), 201);
  return answer.json<{ status: { token: string } }>().status.token;
}

/** Where a service account gets its certificates. */
export const certificatesPath = (cluster: string, account: string): string =>
  `/mesh/v1/clusters/${cluster}/namespaces/${namespace}/serviceaccounts/${account}/certificates`;

/** A request that can be signed, and its key. */
export const goodCsr = createCsr();
