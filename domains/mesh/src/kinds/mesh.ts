import { commonStatus, defineKind, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

const clusterName = Type.String({ minLength: 1, maxLength: 253, description: 'A cluster that the landscape knows.' });

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

/**
 * A tenant's mesh: the clusters whose services call each other. Its name is that of the tenant. A cluster belongs to at
 * most one mesh; a logical cluster that no Mesh names is a mesh of its own.
 */
export const meshes = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'Mesh',
  plural: 'meshes',
  scope: 'Cluster',
  categories: ['landscape'],
  description: 'The clusters whose services call each other, and the cluster that holds their policies.',
  nameRule: 'dns-label',
  servedIn: ['platform'],
  spec: Type.Object({
    clusters: keyedList(
      Type.Object({
        name: clusterName,
        region: Type.Optional(Type.String({ description: 'Region of the cluster: services nearby are preferred.' })),
      }),
      ['name'],
      'The members. A service of the same name on several of them is one service.',
    ),
    topologyCluster: Type.Optional(
      Type.String({
        description: 'The member that holds TrafficSplits, TrafficTargets and routes. Default: the first.',
      }),
    ),
    isPermissive: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'All services of the mesh may call each other; targets are not enforced.',
      }),
    ),
    instances: Type.Optional(
      keyedList(
        Type.Object({
          tenant: Type.String({
            minLength: 1,
            description: 'The namespace of a tenant on the onboarding cluster, or "*" for all tenants.',
          }),
          namespaces: Type.Optional(
            Type.Array(Type.String(), {
              description:
                "Namespaces of this mesh to whose accounts the tenant's bindings may give access. Default: the one with the name of the tenant.",
            }),
          ),
        }),
        ['tenant'],
        'The tenants whose service instances are services of this mesh. Default: all, if the mesh has the onboarding cluster; else none.',
      ),
    ),
    egress: Type.Optional(
      Type.Enum(['passthrough', 'deny'], {
        default: 'passthrough',
        description: 'What happens to connections to destinations other than callable services.',
      }),
    ),
    mtls: Type.Optional(
      Type.Enum(['strict', 'permissive'], {
        default: 'strict',
        description:
          'Whether workloads behind an Envoy accept only TLS of the mesh, or also connections without TLS, to which policies do not apply.',
      }),
    ),
  }),
  status: Type.Object({
    ...commonStatus,
    services: count('Services that are known.'),
    proxies: count('Proxies that are connected.'),
  }),
  rules: [
    { rule: 'size(self.spec.clusters) > 0', message: 'a mesh has at least one cluster' },
    {
      rule: '!has(self.spec.topologyCluster) || self.spec.clusters.exists(c, c.name == self.spec.topologyCluster)',
      message: 'the topologyCluster must be one of the clusters',
    },
  ],
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Services', type: 'integer', jsonPath: '.status.services' },
    { name: 'Proxies', type: 'integer', jsonPath: '.status.proxies' },
    { name: 'Permissive', type: 'boolean', jsonPath: '.spec.isPermissive', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  uniqueKeys: [{ name: 'cluster', within: 'cluster', values: ({ spec }) => spec.clusters.map(({ name }) => name) }],
});

export type Mesh = ObjectOf<typeof meshes>;
