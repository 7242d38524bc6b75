import type { KubeObject } from '@chandlery/api';
import { hash8, shorten } from '@chandlery/clusters/kinds';
import { providerNames, retainedNames, sharedHolderOf } from '@chandlery/providers/kinds';

/** Installs a kind on the platform cluster. */
export const onPlatform = { [providerNames.clusterLabel]: 'platform' };
/** Installs a kind on the onboarding cluster. */
export const onOnboarding = { [providerNames.clusterLabel]: 'onboarding' };

/** Labels and annotations of what providers make. */
export const sdkNames = {
  managedByLabel: providerNames.managedByLabel,
  /** The instance that an object belongs to. */
  instanceLabel: retainedNames.instanceLabel,
  /** `namespace/name` of the service object: the way back. */
  objectAnnotation: 'sdk.chandlery.io/object',
  /** On requests: what becomes of what they lead to when the object is gone without its provider's help. */
  policyAnnotation: providerNames.requestPolicyAnnotation,
  /** On requests whose object is gone: why they are still there. */
  leftoverAnnotation: providerNames.leftoverAnnotation,
  /** `"true"`: no order owns it any more, a RetainedService does. */
  handedOverLabel: retainedNames.handedOverLabel,
  /** `<provider>/<namespace>/<name>` of the order that let an object go. */
  formerObjectAnnotation: retainedNames.formerObjectAnnotation,
  /** What a service is called beyond the clusters. */
  externalNameAnnotation: 'openmcp.cloud/external-name',
  /** The type of Secrets with what is needed to use a service. */
  connectionSecretType: 'sdk.chandlery.io/connection',
} as const;

/** Whom an instance belongs to. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  /** What becomes of the instance when its object goes. Default: not known. */
  readonly deletionPolicy?: string;
}

/** The field owner of all that a provider writes. */
export const fieldManagerOf = (provider: string): string => `provider.${provider}`;

/** Marks what a provider has once for all objects. No object has this key: `~` is not allowed in namespaces. */
export const sharedKeyOf = sharedHolderOf;

/** Tells instances of a provider apart; stays the same when an object is deleted and made again. */
export const instanceIdOf = ({ namespace, name }: Identity): string => hash8(namespace, name);

/** A namespace that no other instance has. */
export const instanceNamespaceOf = (kind: string, identity: Identity): string =>
  shorten(`${kind.toLowerCase()}-${instanceIdOf(identity)}`);

/** The Secret with what is needed to use a service. */
export const connectionSecretName = (kind: string, name: string): string =>
  shorten(`${kind.toLowerCase()}-${name}-connection`, 253);

/** The ConfigMap that tells what stays when a service is let go. */
export const receiptName = (kind: string, name: string): string =>
  shorten(`${kind.toLowerCase()}-${name}-receipt`, 253);

/** The RetainedService that holds what a service needs when it is let go. */
export const retainedServiceName = (kind: string, name: string): string =>
  shorten(`${kind.toLowerCase()}-${name}`, 253);

/** The name of a service beyond the clusters: as annotated, or else the object's. */
export const externalNameOf = ({ metadata }: KubeObject): string =>
  metadata.annotations?.[sdkNames.externalNameAnnotation] || (metadata.name ?? '');

/** The configuration that an object uses: the one that it names, or else the provider's. */
export const configNameOf = (object: KubeObject, provider: string): string =>
  (object['spec'] as { providerConfigRef?: { name: string } } | undefined)?.providerConfigRef?.name ?? provider;
