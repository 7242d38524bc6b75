import { apiError, byCreation, isError, isJsonObject, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { instanceSelectors, isInstance } from '../../model/offerings/instance-object.ts';
import { offerNames } from '../../model/offerings/offer-names.ts';
import type { OfferedKind } from '../../model/offerings/service-offer.ts';
import { listServed, type OfferDeps, readKinds } from './read-offers.ts';

/** The field manager of the offerings. */
export const fieldManager = 'chandlery-offerings';

/** The object of an instance. */
export interface InstanceObject extends KubeObject {
  spec?: JsonObject;
}

/** The object of an instance and its kind. */
export interface FoundInstance {
  readonly kind: OfferedKind;
  readonly object: InstanceObject;
}

/**
 * Finds the object of an instance in any namespace; undefined when there is none.
 *
 * A tenant may give labels and names to objects of its own: the oldest object counts, so that no client can replace an
 * existing one.
 */
export async function findInstance(deps: OfferDeps, instanceId: string): Promise<FoundInstance | undefined> {
  const kinds = await readKinds(deps);
  const found = (await Promise.all(kinds.map(kind => findOfKind(deps.onboarding, kind, instanceId)))).flat();
  const [first, second] = found.sort((a, b) => byCreation(a.object, b.object));
  if (first !== undefined && second !== undefined && ageOf(first) === ageOf(second))
    throw apiError('Conflict', 'several objects claim the instance');
  return first;
}

async function findOfKind(onboarding: Client, kind: OfferedKind, instanceId: string): Promise<FoundInstance[]> {
  const { group, version, plural } = kind;
  const list = (labelSelector: string) =>
    listServed<InstanceObject>(onboarding, { group, version, plural }, { labelSelector });
  const objects = (await Promise.all(instanceSelectors(instanceId).map(list))).flat();
  return objects.filter(object => isInstance(object, instanceId)).map(object => ({ kind, object }));
}

const ageOf = ({ object }: FoundInstance): string => object.metadata.creationTimestamp ?? '';

/** The reference to the object. */
export function refOf({ kind, object }: FoundInstance): ObjectRef {
  const { group, version, plural } = kind;
  const { namespace = '', name = '' } = object.metadata;
  return { group, version, plural, namespace, name };
}

/** The parameters that were requested beyond the plan. */
export function parametersOf({ metadata }: KubeObject): JsonObject {
  try {
    const parameters: unknown = JSON.parse(metadata.annotations?.[offerNames.parametersAnnotation] ?? '{}');
    return isJsonObject(parameters) ? parameters : {};
  } catch {
    return {};
  }
}

/** Creates an object, and its missing namespace when that is ours to create. */
export async function createObject(
  onboarding: Client,
  ref: ObjectRef,
  { object, makesNamespace }: { readonly object: InstanceObject; readonly makesNamespace: boolean },
): Promise<InstanceObject> {
  try {
    return await onboarding.create(ref, object, { fieldManager });
  } catch (error) {
    if (!makesNamespace || !isError(error, 'NotFound')) throw error;
    await ensureNamespace(onboarding, ref.namespace ?? '');
    return onboarding.create(ref, object, { fieldManager });
  }
}

async function ensureNamespace(onboarding: Client, name: string): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': fieldManager };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  try {
    await onboarding.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace, { fieldManager });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}
