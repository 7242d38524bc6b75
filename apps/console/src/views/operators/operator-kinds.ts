import type { KubeObject } from '@chandlery/api';
import type { ServedKind } from '../../api/kinds.ts';

/** The cluster that holds providers, and the one that holds the service manager. */
export const providersCluster = 'platform';
export const brokersCluster = 'onboarding';

const served = {
  version: 'v1alpha1',
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  shortNames: [],
  subresources: ['status'],
} as const;

const brokerKind = (kind: string, plural: string): ServedKind => ({
  ...served,
  group: 'brokers.chandlery.io',
  kind,
  plural,
  isNamespaced: true,
});

/** The kinds that these pages show. */
export const operatorKinds = {
  providers: {
    ...served,
    group: 'openmcp.cloud',
    kind: 'ServiceProvider',
    plural: 'serviceproviders',
    isNamespaced: false,
  } satisfies ServedKind,
  brokers: brokerKind('ServiceBroker', 'servicebrokers'),
  platforms: brokerKind('Platform', 'platforms'),
  visibilities: brokerKind('Visibility', 'visibilities'),
} as const;

/** A provider, as far as it is shown. */
export interface ProviderObject extends KubeObject {
  readonly spec: {
    readonly image: string;
    readonly runReplicas?: number;
    readonly verbosity?: string;
    readonly deletionPolicy?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly resources?: readonly {
      readonly group: string;
      readonly version: string;
      readonly kind: string;
      readonly usesControlPlane?: boolean;
    }[];
  };
}

/** A broker, as far as it is shown. */
export interface BrokerObject extends KubeObject {
  readonly spec: {
    readonly name?: string;
    readonly url?: string;
    readonly internal?: string;
    readonly description?: string;
    readonly credentialsSecret?: string;
    readonly apiVersion?: string;
    readonly insecureSkipVerify?: boolean;
  };
  readonly status?: {
    readonly catalogHash?: string;
    readonly catalogFetchedAt?: string;
    readonly apiVersion?: string;
  };
}

/** A visibility, as far as it is shown. */
export interface VisibilityObject extends KubeObject {
  readonly spec: { readonly planId: string; readonly platformId?: string };
}

export const nameOfBroker = ({ spec, metadata }: BrokerObject): string => spec.name ?? metadata.name ?? '';
