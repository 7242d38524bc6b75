import { tenant } from '../../conformance/xds/support/mesh-landscape.ts';
import type { CallOptions } from './caller.ts';
import { certificatesPath, goodCsr, type MeshPerson, rival } from './mesh-world.ts';

/** A request, and the result by identity; unnamed identities get `others`. */
export interface MeshRow {
  /** The declared route. */
  readonly route: string;
  readonly path: string;
  readonly options?: CallOptions;
  readonly expected: Readonly<Partial<Record<MeshPerson, number>>>;
  /** Default 403. */
  readonly others?: number;
}

/** An anonymous client is rejected like any other without rights; a wrong token is no identity at all. */
const unknown = { 'bad token': 401 } as const;
/** A token of a service account is valid for its own logical cluster only. */
const fromElsewhere = { namesake: 401 } as const;
const foreignAccounts = { web: 401, other: 401 } as const;

const certificates = 'POST /mesh/v1/clusters/:cluster/namespaces/:namespace/serviceaccounts/:account/certificates';
const certificateOf = (cluster: string, account: string) => ({
  route: certificates,
  path: certificatesPath(cluster, account),
});
const signed = { options: { body: { csr: goodCsr.csr } } };

const certificateRows: readonly MeshRow[] = [
  {
    ...certificateOf(tenant, 'web'),
    ...signed,
    expected: { ...unknown, ...fromElsewhere, alice: 201, web: 201, operator: 201 },
  },
  {
    ...certificateOf(tenant, 'other'),
    ...signed,
    expected: { ...unknown, ...fromElsewhere, alice: 201, other: 201, operator: 201 },
  },
  {
    ...certificateOf(rival, 'web'),
    ...signed,
    expected: { ...unknown, ...foreignAccounts, bob: 201, namesake: 201, operator: 201 },
  },
  // Errors of a request are disclosed only to authorized callers.
  {
    ...certificateOf(tenant, 'web'),
    options: { body: { csr: 'none' } },
    expected: { ...unknown, ...fromElsewhere, alice: 400, web: 400, operator: 400 },
  },
  // Missing accounts get no certificate; unauthorized callers do not learn it.
  {
    ...certificateOf(tenant, 'ghost'),
    ...signed,
    expected: { ...unknown, ...fromElsewhere, alice: 404, operator: 404 },
  },
  {
    ...certificateOf('no-such-mesh', 'web'),
    ...signed,
    expected: { ...unknown, ...fromElsewhere, ...foreignAccounts, operator: 404 },
  },
];

/** A caller that may get a certificate may read the trust bundle. */
const trustRows: readonly MeshRow[] = [
  {
    route: 'GET /mesh/v1/clusters/:cluster/namespaces/:namespace/serviceaccounts/:account/trust',
    path: certificatesPath(tenant, 'web').replace(/certificates$/, 'trust'),
    expected: { ...unknown, ...fromElsewhere, alice: 200, web: 200, operator: 200 },
  },
];

const reads: readonly { route: string; path: string; missing?: string }[] = [
  { route: 'GET /mesh/v1/meshes/:mesh/proxies', path: 'proxies' },
  { route: 'GET /mesh/v1/meshes/:mesh/proxies/:nodeId', path: 'proxies/web', missing: 'proxies/nobody' },
  {
    route: 'GET /mesh/v1/meshes/:mesh/services/:namespace/:service/endpoints',
    path: 'services/shop/catalog/endpoints',
    missing: 'services/shop/nothing/endpoints',
  },
  {
    route: 'GET /mesh/v1/meshes/:mesh/explain',
    path: 'explain?from=shop/web&to=shop/catalog',
  },
  { route: 'GET /mesh/v1/meshes/:mesh/graph', path: 'graph?service=shop/catalog' },
  { route: 'GET /mesh/v1/meshes/:mesh/changes', path: 'changes' },
  { route: 'GET /mesh/v1/meshes/:mesh/certificates', path: 'certificates' },
];

/** A caller with read access to a mesh sees all of it, including what is missing; others do not. */
const readRows = reads.flatMap(({ route, path, missing }): MeshRow[] => {
  const row = (mesh: string, what: string, expected: MeshRow['expected']): MeshRow => ({
    route,
    path: `/mesh/v1/meshes/${mesh}/${what}`,
    expected: { ...unknown, ...expected },
  });
  return [
    row(tenant, path, { ...fromElsewhere, alice: 200, operator: 200 }),
    row(rival, path, { ...foreignAccounts, bob: 200, operator: 200 }),
    row('no-such-mesh', path, { ...fromElsewhere, ...foreignAccounts, operator: 404 }),
    ...(missing ? [row(tenant, missing, { ...fromElsewhere, alice: 404, operator: 404 })] : []),
  ];
});

/** Who may read the policies of a cluster may know its mesh. */
const clusterRows = [tenant, rival, 'no-such-mesh'].map((cluster): MeshRow => {
  const expected = {
    [tenant]: { ...fromElsewhere, alice: 200, operator: 200 },
    [rival]: { ...foreignAccounts, bob: 200, operator: 200 },
    'no-such-mesh': { ...fromElsewhere, ...foreignAccounts, operator: 404 },
  }[cluster];
  return {
    route: 'GET /mesh/v1/clusters/:cluster',
    path: `/mesh/v1/clusters/${cluster}`,
    expected: { ...unknown, ...expected },
  };
});

/** Instances are read with the right to get them where they are, on the onboarding cluster. */
const instanceRows: readonly MeshRow[] = [
  {
    route: 'GET /mesh/v1/instances/:namespace/:name',
    path: '/mesh/v1/instances/acme/db',
    expected: { ...unknown, ...fromElsewhere, ...foreignAccounts, operator: 200 },
  },
];

/** Every client may read the description of the API. */
const documentRows: readonly MeshRow[] = [
  { route: 'GET /openapi/mesh.json', path: '/openapi/mesh.json', expected: {}, others: 200 },
];

/** Every route of the mesh, for both tenants and for one that does not exist. */
export const meshTable: readonly MeshRow[] = [
  ...certificateRows,
  ...trustRows,
  ...readRows,
  ...clusterRows,
  ...documentRows,
  ...instanceRows,
];
