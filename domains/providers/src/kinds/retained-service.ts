import { commonStatus, defineKind, immutable, type ObjectOf } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { Type } from 'typebox';
import { onOnboarding } from './provider.ts';

/** The group of tenants' kinds that only Chandlery has. */
export const chandleryTenantsGroup = 'core.chandlery.io';

const requestSchema = Type.Object({
  kind: Type.Enum(['AccessRequest', 'ClusterRequest']),
  namespace: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
});

const requestsSchema = (description: string) => Type.Optional(Type.Array(requestSchema, { description }));

/** A service that continues to run without a service object. */
export const retainedServices = defineKind({
  group: chandleryTenantsGroup,
  version: 'v1alpha1',
  kind: 'RetainedService',
  shortNames: ['retained'],
  description:
    'A service that was released (deletionPolicy Orphan) and continues to run: it holds the clusters and the access that the service needs. Deleting it ends the service; ordering again under the same name takes it over.',
  spec: Type.Object(
    {
      provider: Type.String({ minLength: 1, description: 'The ServiceProvider that brought the service.' }),
      service: Type.Object(
        { group: Type.String(), kind: Type.String({ minLength: 1 }), name: Type.String({ minLength: 1 }) },
        { description: 'The order that was deleted, in this namespace.' },
      ),
      controlPlane: Type.Optional(
        Type.String({
          description: 'The ControlPlane of this namespace that the service needs, and that waits for it.',
        }),
      ),
      requests: requestsSchema('What the service needs on the platform cluster; goes with this object.'),
      sharedRequests: requestsSchema('The same for all services of the provider; goes with the last of them.'),
      stays: Type.Optional(Type.Array(Type.String(), { description: 'What the service consists of.' })),
    },
    immutable,
  ),
  status: Type.Object({ ...commonStatus }),
  columns: [
    { name: 'Kind', type: 'string', jsonPath: '.spec.service.kind' },
    { name: 'Service', type: 'string', jsonPath: '.spec.service.name' },
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  labels: onOnboarding,
});

export type RetainedService = ObjectOf<typeof retainedServices>;
/** A request on the platform cluster that a retained service holds. */
export type RetainedRequest = NonNullable<RetainedService['spec']['requests']>[number];

/** Labels and annotations of what was handed over to retained services, on any cluster. */
export const retainedNames = {
  /** `"true"`: owned by no service object, and not cleaned up by the sweeper. */
  handedOverLabel: 'sdk.chandlery.io/handed-over',
  /** On kept objects: `<provider>/<namespace>/<name>` of the former service object. */
  formerObjectAnnotation: 'sdk.chandlery.io/former-object',
  /** On requests: `<namespace>/<name>` of the RetainedService that holds them. */
  retainedByAnnotation: 'sdk.chandlery.io/retained-by',
  /** On AccessRequests: the kinds of the service's objects on the cluster, which are deleted at its end. */
  keptKindsAnnotation: 'sdk.chandlery.io/kept-kinds',
  /** On RetainedServices: the provider, for selectors. */
  providerLabel: 'sdk.chandlery.io/provider',
  /** Followed by the instance id, on objects that several service objects use. */
  userAnnotationPrefix: 'user.sdk.chandlery.io/',
  /** The instance id of requests. */
  instanceLabel: 'sdk.chandlery.io/instance',
  finalizer: 'core.chandlery.io/retained-service',
} as const;

/** The value of {@link retainedNames.formerObjectAnnotation}. */
export const formerObjectOf = (provider: string, key: string): string => `${provider}/${key}`;

/** The value of {@link retainedNames.retainedByAnnotation} for all services of a provider. */
export const sharedHolderOf = (provider: string): string => `~shared/${provider}`;

/** Selects the retained services of a provider. */
export const retainedBy = (provider: string): string => `${retainedNames.providerLabel}=${shorten(provider)}`;
