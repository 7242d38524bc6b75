import { binding, create, rbacPath, role } from '../objects.ts';
import { bodyRow, core, type HostileRow, requestRow, times } from './hostile-row.ts';
import { cluster, type HostileWorld } from './hostile-world.ts';

const reviews = `/clusters/${cluster}/apis`;
const person = (what: string, size: number): string => `${what}-${size}`;
const rule = (index: number) => ({ verbs: ['get'], apiGroups: [`g${index}.example.org`], resources: [`r${index}`] });

/** Gives a user so many rules, in one role. */
async function grantRules({ tenant }: HostileWorld, name: string, rules: Parameters<typeof role>[2]): Promise<void> {
  await create(tenant, `${rbacPath(cluster)}/clusterroles`, role('ClusterRole', name, rules));
  const subject = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name } as const;
  const bound = binding('ClusterRoleBinding', `ClusterRole/${name}`, [subject]);
  await create(tenant, `${rbacPath(cluster)}/clusterrolebindings`, { ...bound, metadata: { name } });
}

/** A request of a user who has many rules. */
const grantedRow = (
  what: string,
  size: number,
  rules: (size: number) => Parameters<typeof role>[2],
  path = `${core}/services`,
): HostileRow => {
  const word = what.replaceAll(/[^a-z]+/g, '-');
  return {
    ...requestRow(what, size, length => ({ path, headers: { 'impersonate-user': person(word, length) } }), [200, 403]),
    prepare: (world, length) => grantRules(world, person(word, length), rules(length)),
  };
};

/** Roles that all take in each other. */
const aggregatedRow: HostileRow = {
  what: 'a binding beside roles that aggregate each other',
  size: 4,
  codes: [201],
  prepare: async ({ tenant }, size) => {
    const label = `hostile.example.org/aggregate-${size}`;
    for (let index = 0; index < size; index++) {
      const name = `aggregate-${size}-${index}`;
      await create(tenant, `${rbacPath(cluster)}/clusterroles`, {
        ...role('ClusterRole', name, [rule(index)]),
        metadata: { name, labels: { [label]: 'x' } },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'x' } }] },
      });
      const bound = binding('ClusterRoleBinding', `ClusterRole/${name}`, []);
      await create(tenant, `${rbacPath(cluster)}/clusterrolebindings`, { ...bound, metadata: { name } });
    }
  },
  // Whatever changes rights makes all of them be compiled again.
  send: ({ tenant }, size) =>
    tenant.send(`${rbacPath(cluster, 'default')}/rolebindings`, {
      body: {
        ...binding('RoleBinding', `ClusterRole/aggregate-${size}-0`, []),
        metadata: { generateName: 'aggregate-' },
      },
    }),
};

/** Rights that tenants give, and questions about them. */
export const rightRows: readonly HostileRow[] = [
  aggregatedRow,
  grantedRow('a request of a user with many rules', 800, size => times(size, rule)),
  grantedRow('a request of a user with many rules on the resource', 800, size =>
    times(size, index => ({ verbs: ['get'], apiGroups: [''], resources: ['services'], resourceNames: [`n${index}`] })),
  ),
  grantedRow('a request of a user with a rule of many names', 5000, size => [
    { verbs: ['get'], apiGroups: [''], resources: ['services'], resourceNames: times(size, index => `n${index}`) },
  ]),
  bodyRow('a token review of a long token', 100_000, `${reviews}/authentication.k8s.io/v1/tokenreviews`, size => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: `${'a'.repeat(size)}.${'b'.repeat(size)}.c` },
  })),
  bodyRow('a token review of many audiences', 3000, `${reviews}/authentication.k8s.io/v1/tokenreviews`, size => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'x', audiences: times(size, index => `a${index}`) },
  })),
  bodyRow(
    'an access review with many extras',
    2000,
    `${reviews}/authorization.k8s.io/v1/subjectaccessreviews`,
    size => ({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: 'x',
        extra: Object.fromEntries(times(size, index => [`k${index}`, ['v']])),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    }),
  ),
];
