import type { KubeObject } from '@chandlery/api';
import { hash8, shorten } from '@chandlery/clusters/kinds';
import { providerNames, retainedNames, sharedHolderOf } from '@chandlery/providers/kinds';

/** Installs a kind on the platform cluster. */
export const onPlatform = { [providerNames.clusterLabel]: 'platform' };
/** Installs a kind on the onboarding cluster. */
export const onOnboarding = { [providerNames.clusterLabel]: 'onboarding' };

/** Labels and annotations of objects that providers create. */
export const sdkNames = {
  managedByLabel: providerNames.managedByLabel,
  /** The instance that an object belongs to. */
  instanceLabel: retainedNames.instanceLabel,
  /** `namespace/name` of the service object. */
  objectAnnotation: 'sdk.chandlery.io/object',
  /** On requests: the deletion policy that applies when the service object is deleted without its provider. */
  policyAnnotation: providerNames.requestPolicyAnnotation,
  /** On requests of a deleted service object: why they still exist. */
  leftoverAnnotation: providerNames.leftoverAnnotation,
  /** `"true"`: owned by a RetainedService, and no longer by a service object. */
  handedOverLabel: retainedNames.handedOverLabel,
  /** `<provider>/<namespace>/<name>` of the service object that released an object. */
  formerObjectAnnotation: retainedNames.formerObjectAnnotation,
  /** The name of the external resource. */
  externalNameAnnotation: 'openmcp.cloud/external-name',
  /** The type of Secrets with the connection details of a service. */
  connectionSecretType: 'sdk.chandlery.io/connection',
} as const;

/** The service object of an instance. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  /** What happens to the instance when its object is deleted. Default: not known. */
  readonly deletionPolicy?: string;
}

/** The field manager of everything that a provider writes. */
export const fieldManagerOf = (provider: string): string => `provider.${provider}`;

/**
 * The owner key of what a provider has once for all objects. No object has this key: `~` is not allowed in namespaces.
 */
export const sharedKeyOf = sharedHolderOf;

/** Identifies an instance of a provider; stays the same when the object is deleted and created again. */
export const instanceIdOf = ({ namespace, name }: Identity): string => hash8(namespace, name);

/** A namespace for one instance. */
export const instanceNamespaceOf = (kind: string, identity: Identity): string =>
  shorten(`${kind.toLowerCase()}-${instanceIdOf(identity)}`);

/** The name of the Secret with the connection details of a service. */
export const connectionSecretName = (kind: string, name: string): string =>
  shorten(`${kind.toLowerCase()}-${name}-connection`, 253);

/** The name of the ConfigMap that lists what stays when a service is released. */
export const receiptName = (kind: string, name: string): string =>
  shorten(`${kind.toLowerCase()}-${name}-receipt`, 253);

/** The name of the RetainedService of a released service. */
export const retainedServiceName = (kind: string, name: string): string =>
  shorten(`${kind.toLowerCase()}-${name}`, 253);

/** The name of the external resource: the annotation, or else the object's name. */
export const externalNameOf = ({ metadata }: KubeObject): string =>
  metadata.annotations?.[sdkNames.externalNameAnnotation] || (metadata.name ?? '');

/** The name of an object's configuration: the one it refers to, or else the provider's. */
export const configNameOf = (object: KubeObject, provider: string): string =>
  (object['spec'] as { providerConfigRef?: { name: string } } | undefined)?.providerConfigRef?.name ?? provider;
