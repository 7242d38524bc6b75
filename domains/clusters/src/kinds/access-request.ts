import { commonStatus, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { clustersGroup, objectRefSchema, oidcProviderSchema, onPlatform, tokenAccessSchema } from './common.ts';

const settledOnce = (field: string) => [
  { rule: `!has(oldSelf.${field}) || has(self.${field})`, message: `${field} cannot be removed once it is set` },
  {
    rule: `!has(oldSelf.${field}) || !has(self.${field}) || self.${field} == oldSelf.${field}`,
    message: `${field} cannot be changed once it is set`,
  },
];

/** A request for credentials for a cluster. */
export const accessRequests = defineKind({
  group: clustersGroup,
  version: 'v1alpha1',
  kind: 'AccessRequest',
  shortNames: ['ar', 'areq'],
  description: 'A request for credentials for a cluster: a kubeconfig in a Secret, with exactly the requested rights.',
  spec: Type.Object(
    {
      clusterRef: Type.Optional(objectRefSchema('The cluster. Wins over requestRef.')),
      requestRef: Type.Optional(objectRefSchema('The ClusterRequest whose cluster is meant.')),
      token: Type.Optional(tokenAccessSchema),
      oidc: Type.Optional(oidcProviderSchema),
      copies: Type.Optional(
        Type.Array(
          Type.Object({
            clusterRef: objectRefSchema('The cluster that the Secret is on.'),
            namespace: Type.String({ minLength: 1, description: 'Of the Secret.' }),
            name: Type.String({ minLength: 1, description: 'Of the Secret.' }),
          }),
          {
            description:
              'Secrets on clusters that hold the token too. Wherever a token of this request stands in one of them, it is replaced when the token is renewed.',
          },
        ),
      ),
      ttl: Type.Optional(
        Type.String({
          description: 'After this time from its creation the request is deleted: 30m, 24h. Default: never.',
        }),
      ),
    },
    {
      'x-kubernetes-validations': [
        ...settledOnce('clusterRef'),
        ...settledOnce('requestRef'),
        { rule: 'has(self.token) != has(self.oidc)', message: 'exactly one of token and oidc must be set' },
        { rule: 'has(self.clusterRef) || has(self.requestRef)', message: 'clusterRef or requestRef must be set' },
      ],
    },
  ),
  status: Type.Object({
    ...commonStatus,
    secretRef: Type.Optional(
      Type.Object({ name: Type.String() }, { description: 'The Secret with the kubeconfig, in the same namespace.' }),
    ),
  }),
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Pending, Granted or Denied.' },
    { name: 'Secret', type: 'string', jsonPath: '.status.secretRef.name' },
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['.status.phase'],
  labels: onPlatform,
});

export type AccessRequest = ObjectOf<typeof accessRequests>;
