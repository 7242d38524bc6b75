import { ChandleryError, type KubeObject, type OwnerReference } from '@chandlery/api';

/** A reference to an object that the server knows: it has a uid. */
export function ownerReference(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!name || !uid)
    throw new ChandleryError('OwnerUnknown', `${owner.kind} "${name ?? ''}" cannot own anything: it has no uid yet`);
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...more };
}

/**
 * Makes `owner` the controller of `object`: it is deleted with its owner, and `controllerKey` finds the way back.
 * Rejects with `AlreadyControlled` when another object is its controller.
 */
export function setController(object: KubeObject, owner: KubeObject): void {
  const reference = ownerReference(owner, { controller: true, blockOwnerDeletion: true });
  const current = controllerOf(object);
  if (current !== undefined && current.uid !== reference.uid) throw alreadyControlled(object, current);
  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  object.metadata.ownerReferences = [...others, reference];
}

export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(reference => reference.controller === true);

/**
 * The key (`namespace/name`) of an object's controller if that is of the given kind, for `owns` of a controller. The
 * group counts, the version does not: owners may be served in several.
 */
export function controllerKeys(object: KubeObject, owner: { readonly group: string; readonly kind: string }): string[] {
  const reference = controllerOf(object);
  if (reference?.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) return [];
  const { namespace } = object.metadata;
  return [namespace ? `${namespace}/${reference.name}` : reference.name];
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

const alreadyControlled = ({ kind, metadata }: KubeObject, by: OwnerReference): ChandleryError =>
  new ChandleryError('AlreadyControlled', `${kind} "${metadata.name}" is controlled by ${by.kind} "${by.name}"`, {
    hint: 'Choose another name, or delete the other object first.',
  });
