import type { KubeObject } from '@chandlery/api';
import { formerObjectOf, retainedNames } from '@chandlery/providers/kinds';
import { fieldManagerOf, sdkNames } from '../model/names.ts';
import type { OwnerInfo } from './managed-objects.ts';
import { ownedBy, ownsLabel } from './owned-fields.ts';

const { managedByLabel, instanceLabel, objectAnnotation, handedOverLabel, formerObjectAnnotation } = sdkNames;

/** Stands for the whole wish, so that a field that is no longer wished for is noticed. */
export const contentHashAnnotation = 'sdk.chandlery.io/wish';
/** `<prefix><instance id>: namespace/name`, one for each user of a shared object. */
const userPrefix = retainedNames.userAnnotationPrefix;

export const userAnnotation = ({ instanceId }: Pick<OwnerInfo, 'instanceId'>): string => `${userPrefix}${instanceId}`;

/** Selects what a provider manages. */
export const managedBySelector = (provider: string): string => `${managedByLabel}=${provider}`;

/** Annotations that tell people something: without what only this package reads. */
export const withoutBookkeeping = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name !== contentHashAnnotation && !name.startsWith(userPrefix)),
  );

/** What says whose an object is; a shared one has a mark for each user instead, which apply does not write. */
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
 * The merge patch that lets an object go: nobody manages it any more, and it says whose it was. A shared one keeps the
 * mark of its user, so that the last of the others does not take it away.
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

/** The merge patch for a shared object that others go on managing. */
export const sharedReleasePatch: Pick<OwnershipPatch, 'labels'> = { labels: { [handedOverLabel]: 'true' } };

/** Takes from an object what says that it was let go. */
export const takeOverPatch: OwnershipPatch = {
  labels: { [handedOverLabel]: null },
  annotations: { [formerObjectAnnotation]: null },
};

/** Whether an object was let go, and nobody but this owner needs it to be so. */
export const isReleased = (object: KubeObject, owner: OwnerInfo): boolean =>
  object.metadata.labels?.[handedOverLabel] === 'true' && usersOf(object).every(key => key === owner.key);

export const isManagedBy = ({ metadata }: KubeObject, provider: string): boolean =>
  metadata.labels?.[managedByLabel] === provider;

/** Whether any provider manages an object. */
export const isManagedByAnyone = ({ metadata }: KubeObject): boolean => metadata.labels?.[managedByLabel] !== undefined;

/** Whether an object is an owner's alone, or shared and used by it. Only such objects are ever deleted. */
export function isOwned(object: KubeObject, provider: string, owner: OwnerInfo): boolean {
  const { labels, annotations } = object.metadata;
  if (!isManagedBy(object, provider)) return false;
  if (annotations?.[userAnnotation(owner)] !== undefined) return true;
  return labels?.[instanceLabel] === owner.instanceId && annotations?.[objectAnnotation] === owner.key;
}

/** Whether a shared object has lost, or not yet got, all its users: whoever wishes for it may take it away. */
export const isUnused = (object: KubeObject, provider: string): boolean =>
  isManagedBy(object, provider) && instancesOf(object).length === 0;

/** The keys of those who use a shared object. */
export const usersOf = ({ metadata }: KubeObject): string[] =>
  Object.entries(metadata.annotations ?? {}).flatMap(([name, key]) => (name.startsWith(userPrefix) ? [key] : []));

/** The keys of all owners of an object: the way back from a watch. */
export function ownerKeysOf(object: KubeObject): string[] {
  const key = object.metadata.annotations?.[objectAnnotation];
  return [...new Set([...(key === undefined ? [] : [key]), ...usersOf(object)])];
}

/** The ids of all owners of an object, for the index. */
export function instancesOf({ metadata: { labels, annotations } }: KubeObject): string[] {
  const instance = labels?.[instanceLabel];
  const users = Object.keys(annotations ?? {}).filter(name => name.startsWith(userPrefix));
  return [...(instance === undefined ? [] : [instance]), ...users.map(name => name.slice(userPrefix.length))];
}

/**
 * Who keeps an owner from taking an object, in words; undefined when it may be taken. Of what we have applied, our field
 * ownership tells: on a control plane its tenant may write whatever labels and annotations it likes. Of anything else,
 * its labels do.
 */
export function otherOwner(object: KubeObject, wish: { provider: string; owner: OwnerInfo; isShared: boolean }) {
  const { labels, annotations } = object.metadata;
  const { provider, owner, isShared } = wish;
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

/** Whether a provider itself wrote whose an object is. */
const isWrittenBy = (object: KubeObject, provider: string): boolean =>
  ownsLabel(fieldManagerOf(provider), object, 'annotations', objectAnnotation);

/** Whether a provider has applied an object and still owns a part of it. */
export const isAppliedBy = (object: KubeObject, provider: string): boolean =>
  ownedBy(fieldManagerOf(provider), object) !== undefined;
