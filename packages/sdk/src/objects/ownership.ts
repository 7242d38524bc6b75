import type { KubeObject } from '@chandlery/api';
import { formerObjectOf, retainedNames } from '@chandlery/providers/kinds';
import { fieldManagerOf, sdkNames } from '../model/names.ts';
import type { OwnerInfo } from './managed-objects.ts';
import { ownedBy, ownsLabel } from './owned-fields.ts';

const { managedByLabel, instanceLabel, objectAnnotation, handedOverLabel, formerObjectAnnotation } = sdkNames;

/** A hash of the desired content, by which the removal of a field is noticed. The name is kept for stored objects. */
export const contentHashAnnotation = 'sdk.chandlery.io/wish';
/** `<prefix><instance id>: namespace/name`, one for each user of a shared object. */
const userPrefix = retainedNames.userAnnotationPrefix;

export const userAnnotation = ({ instanceId }: Pick<OwnerInfo, 'instanceId'>): string => `${userPrefix}${instanceId}`;

/** Selects the objects that a provider manages. */
export const managedBySelector = (provider: string): string => `${managedByLabel}=${provider}`;

/** Removes the annotations that only this package reads. */
export const withoutBookkeeping = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name !== contentHashAnnotation && !name.startsWith(userPrefix)),
  );

/**
 * The labels and annotations that name the owner of an object. A shared object has an annotation for each user instead,
 * which is not applied.
 */
export function ownershipOf(provider: string, owner: OwnerInfo, isShared: boolean): KubeObject['metadata'] {
  if (isShared) return { labels: { [managedByLabel]: provider } };
  return {
    labels: { [managedByLabel]: provider, [instanceLabel]: owner.instanceId },
    annotations: { [objectAnnotation]: owner.key },
  };
}

/** A merge patch of labels and annotations. */
type OwnershipPatch = {
  readonly labels: Record<string, string | null>;
  readonly annotations: Record<string, string | null>;
};

/**
 * The merge patch that releases an object: it is no longer managed, and records its former owner. A shared object keeps
 * the annotation of its user, so that its last other user does not delete it.
 */
export function releasePatch(provider: string, owner: OwnerInfo): OwnershipPatch {
  return {
    labels: { [managedByLabel]: null, [instanceLabel]: null, [handedOverLabel]: 'true' },
    annotations: {
      [objectAnnotation]: null,
      [contentHashAnnotation]: null,
      [formerObjectAnnotation]: formerObjectOf(provider, owner.key),
    },
  };
}

/** The merge patch for a shared object that others continue to manage. */
export const sharedReleasePatch: Pick<OwnershipPatch, 'labels'> = { labels: { [handedOverLabel]: 'true' } };

/** The merge patch that removes the records of a release. */
export const takeOverPatch: OwnershipPatch = {
  labels: { [handedOverLabel]: null },
  annotations: { [formerObjectAnnotation]: null },
};

/** Whether an object was released, and no other owner relies on that. */
export const isReleased = (object: KubeObject, owner: OwnerInfo): boolean =>
  object.metadata.labels?.[handedOverLabel] === 'true' && usersOf(object).every(key => key === owner.key);

export const isManagedBy = ({ metadata }: KubeObject, provider: string): boolean =>
  metadata.labels?.[managedByLabel] === provider;

/** Whether any provider manages an object. */
export const isManagedByAnyone = ({ metadata }: KubeObject): boolean => metadata.labels?.[managedByLabel] !== undefined;

/** Whether an object belongs to an owner alone, or is shared and used by it. Only such objects are ever deleted. */
export function isOwned(object: KubeObject, provider: string, owner: OwnerInfo): boolean {
  const { labels, annotations } = object.metadata;
  if (!isManagedBy(object, provider)) return false;
  if (annotations?.[userAnnotation(owner)] !== undefined) return true;
  return labels?.[instanceLabel] === owner.instanceId && annotations?.[objectAnnotation] === owner.key;
}

/** Whether a shared object has no users. Any provider that desires it may delete it. */
export const isUnused = (object: KubeObject, provider: string): boolean =>
  isManagedBy(object, provider) && instancesOf(object).length === 0;

/** The keys of the users of a shared object. */
export const usersOf = ({ metadata }: KubeObject): string[] =>
  Object.entries(metadata.annotations ?? {}).flatMap(([name, key]) => (name.startsWith(userPrefix) ? [key] : []));

/** The keys of all owners of an object. */
export function ownerKeysOf(object: KubeObject): string[] {
  const key = object.metadata.annotations?.[objectAnnotation];
  return [...new Set([...(key === undefined ? [] : [key]), ...usersOf(object)])];
}

/** The instance ids of all owners of an object, for the index. */
export function instancesOf({ metadata: { labels, annotations } }: KubeObject): string[] {
  const instance = labels?.[instanceLabel];
  const users = Object.keys(annotations ?? {}).filter(name => name.startsWith(userPrefix));
  return [...(instance === undefined ? [] : [instance]), ...users.map(name => name.slice(userPrefix.length))];
}

/**
 * Describes the owner that prevents another owner from applying an object; undefined when it may be applied. For
 * objects that we applied, field ownership decides, because a tenant may write any label and annotation on its control
 * plane. For others, the labels decide.
 */
export function otherOwner(object: KubeObject, claim: { provider: string; owner: OwnerInfo; isShared: boolean }) {
  const { labels, annotations } = object.metadata;
  const { provider, owner, isShared } = claim;
  const former = labels?.[handedOverLabel] === 'true' ? annotations?.[formerObjectAnnotation] : undefined;
  const isApplied = isAppliedBy(object, provider);
  if (former !== undefined && !isShared && !isApplied && former !== formerObjectOf(provider, owner.key))
    return `the retained service "${former}"`;
  const manager = labels?.[managedByLabel];
  if (manager !== undefined && manager !== provider && !isApplied) return `provider "${manager}"`;
  const key = annotations?.[objectAnnotation];
  if (isShared || key === undefined || key === owner.key) return undefined;
  if (isApplied) return isWrittenBy(object, provider) ? `${owner.kind} "${key}"` : undefined;
  return manager === undefined ? undefined : `${owner.kind} "${key}"`;
}

/** Whether a provider wrote the ownership annotation of an object. */
const isWrittenBy = (object: KubeObject, provider: string): boolean =>
  ownsLabel(fieldManagerOf(provider), object, 'annotations', objectAnnotation);

/** Whether a provider has applied an object and still owns a part of it. */
export const isAppliedBy = (object: KubeObject, provider: string): boolean =>
  ownedBy(fieldManagerOf(provider), object) !== undefined;
