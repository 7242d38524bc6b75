import { createHash } from 'node:crypto';
import { type KindDeclaration, reviewKinds } from '@chandlery/api';
import type { KindSource } from './discovery-groups.ts';

/** For tests: the kinds of a cluster, straight from declarations. */
export function kindSource(declarations: readonly KindDeclaration[]): KindSource {
  const groups = Map.groupBy(declarations, ({ group }) => group);
  const servedNames = (kinds: readonly KindDeclaration[]) =>
    new Set(kinds.flatMap(({ versions }) => versions.filter(({ served }) => served ?? true).map(({ name }) => name)));
  return {
    signature: createHash('sha256').update(JSON.stringify(declarations)).digest('hex'),
    all: () => declarations.map(declaration => ({ kind: { declaration } })),
    groups: () => new Map([...groups].map(([group, kinds]) => [group, [...servedNames(kinds)].sort()])),
  };
}

export const namespaceKind: KindDeclaration = {
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  allowsStrategicMerge: true,
  versions: [
    {
      name: 'v1',
      schema: {
        type: 'object',
        description: 'A space for names.',
        properties: {
          spec: { type: 'object', properties: { finalizers: { type: 'array', items: { type: 'string' } } } },
          status: { type: 'object', properties: { phase: { type: 'string' } } },
        },
      },
      subresources: {
        status: true,
        others: [
          { name: 'finalize', responseKind: { group: '', version: 'v1', kind: 'Namespace' }, verbs: ['update'] },
        ],
      },
    },
  ],
};

export const serviceAccountKind: KindDeclaration = {
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  scope: 'Namespaced',
  allowsStrategicMerge: true,
  versions: [
    {
      name: 'v1',
      schema: {
        type: 'object',
        description: 'An identity for programs.',
        properties: {
          secrets: {
            type: 'array',
            items: { type: 'object', properties: { name: { type: 'string' } } },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
        },
      },
      subresources: {
        others: [
          {
            name: 'token',
            responseKind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
            verbs: ['create'],
          },
        ],
      },
    },
  ],
};

export const deploymentKind: KindDeclaration = {
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  scope: 'Namespaced',
  allowsStrategicMerge: true,
  versions: [
    {
      name: 'v1',
      schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } },
      },
      subresources: {
        status: true,
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    },
  ],
};

export const podKind: KindDeclaration = {
  group: '',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  allowsStrategicMerge: true,
  versions: [
    {
      name: 'v1',
      schema: { type: 'object', properties: { spec: { type: 'object' } } },
      subresources: {
        status: true,
        others: [{ name: 'log', responseKind: { group: '', version: 'v1', kind: 'Pod' }, verbs: ['get'] }],
      },
    },
  ],
};

/** A custom kind with two versions and every extension that explain and apply look at. */
export const cronTabKind: KindDeclaration = {
  group: 'stable.example.com',
  kind: 'CronTab',
  plural: 'crontabs',
  shortNames: ['ct'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1',
      schema: {
        type: 'object',
        description: 'Runs something now and then.',
        required: ['spec'],
        properties: {
          spec: {
            type: 'object',
            description: 'What to run and when.',
            required: ['cronSpec'],
            properties: {
              cronSpec: { type: 'string', description: 'When.', pattern: '^\\S+$' },
              replicas: { type: 'integer', format: 'int32', default: 1, description: 'How many at a time.' },
              mode: { type: 'string', enum: ['Fast', 'Slow'], nullable: true, description: 'How.' },
              port: { 'x-kubernetes-int-or-string': true, description: 'Which port.' },
              free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              template: {
                type: 'object',
                'x-kubernetes-embedded-resource': true,
                'x-kubernetes-preserve-unknown-fields': true,
              },
              steps: {
                type: 'array',
                description: 'What to do.',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['name'],
                items: {
                  type: 'object',
                  required: ['name'],
                  properties: { name: { type: 'string', description: 'The step.' } },
                },
              },
              env: { type: 'object', additionalProperties: { type: 'string' } },
            },
          },
          status: { type: 'object', properties: { replicas: { type: 'integer' } } },
        },
      },
      subresources: {
        status: true,
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
      columns: [{ name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' }],
    },
    { name: 'v1alpha1', storage: false, schema: { type: 'object' } },
    { name: 'v0', served: false, schema: { type: 'object' } },
  ],
};

/** Of the same group as CronTab, but only in the older version. */
export const oldTabKind: KindDeclaration = {
  group: 'stable.example.com',
  kind: 'OldTab',
  plural: 'oldtabs',
  scope: 'Cluster',
  versions: [{ name: 'v1alpha1', schema: { type: 'object' } }],
};

export const lateKind: KindDeclaration = {
  group: 'a.example.com',
  kind: 'Late',
  plural: 'lates',
  scope: 'Cluster',
  versions: [{ name: 'v1', schema: { type: 'object' } }],
};

/** A cluster that serves all of the above. */
export const sampleKinds: KindSource = kindSource([
  cronTabKind,
  oldTabKind,
  lateKind,
  deploymentKind,
  namespaceKind,
  serviceAccountKind,
  podKind,
]);

const sampled = ['SelfSubjectAccessReview', 'LocalSubjectAccessReview', 'SelfSubjectReview', 'TokenRequest', 'Scale'];

/** Questions, and two kinds that exist only as bodies of sub-resources. */
export const sampleReviews: readonly KindDeclaration[] = reviewKinds.filter(({ kind }) => sampled.includes(kind));
