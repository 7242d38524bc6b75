import { type KubeObject, parseFieldSelector } from '@chandlery/api';
import type { ObjectRef, ResourceRef } from '@chandlery/client';
import type { ClusterAccess } from '../access/cluster-access.ts';
import { forbidden } from '../access/forbidden.ts';
import type { ResourceAttributes } from '../access/rbac.ts';
import { isMaster, type UserInfo } from '../access/user.ts';
import type { Kernel } from '../kernel.ts';
import { keyOfTarget, type Target } from '../resources/request.ts';
import type { Visibility } from '../views/visibility.ts';

/** What a client may do, by the names that RBAC gives it. */
export type ClientVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** A call of the client, as far as rights go. */
export interface Wish {
  readonly verb: ClientVerb;
  readonly ref: ResourceRef & Partial<ObjectRef>;
  readonly fieldSelector?: string | undefined;
}

/** What the user of a call may have. */
export interface Granted {
  /** The rights to check the write by. Undefined for those who may all. */
  readonly access?: ClusterAccess;
  /** The part of the collection that is shown. Undefined: all of it. */
  readonly visibility?: Visibility;
}

/** Throws `Forbidden` unless the user may do it. */
export async function authorizeWish(
  { access: registry, views }: Kernel,
  { target, user }: { readonly target: Target; readonly user: UserInfo },
  wish: Wish,
): Promise<Granted> {
  if (isMaster(user)) return {};
  const access = await registry.of(target.cluster);
  const attributes = attributesOf(wish);
  if (access.authorize(user, attributes).allowed) return { access };
  const { verb, namespace = '', name = '' } = attributes;
  const isWhole = (verb === 'list' || verb === 'watch') && namespace === '' && name === '';
  const visibility = isWhole ? await views.partial(target.cluster, target.resource.kind, user, verb) : undefined;
  if (visibility === undefined) throw forbidden(user, attributes);
  return { access, visibility };
}

function attributesOf({ verb, ref, fieldSelector = '' }: Wish): ResourceAttributes {
  const { group, plural, subresource, namespace, name } = ref;
  const isNamespaceItself = group === '' && plural === 'namespaces';
  return {
    verb,
    group,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    namespace: namespace ?? (isNamespaceItself ? (name ?? '') : ''),
    name: name ?? selectedName(fieldSelector),
  };
}

/** A list of the one object that a field selector names counts as access to that object. */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes('metadata.name')) return '';
  const { requirements } = parseFieldSelector(fieldSelector);
  return requirements.find(({ path, operator }) => path === 'metadata.name' && operator === '=')?.value ?? '';
}

/** Applying what does not exist creates it, which takes the right to create. */
export async function authorizeApply(
  { store }: Kernel,
  { user, access }: { readonly user: UserInfo; readonly access?: ClusterAccess },
  target: Target,
): Promise<void> {
  if (access === undefined) return;
  const { groupResource } = target.resource.kind;
  const attributes = { verb: 'create', ...groupResource, namespace: target.namespace, name: target.name };
  if (access.authorize(user, attributes).allowed) return;
  if ((await store.get(keyOfTarget(target))) === undefined) throw forbidden(user, attributes);
}

/** The answer to the deletion of an object that is gone at once. */
export function deletedStatus({ resource: { kind }, name }: Target, uid: string | undefined): KubeObject {
  const details = { name, kind: kind.plural, uid, ...(kind.group === '' ? {} : { group: kind.group }) };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 };
}
