import { apiError, badRequest, isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { controllerOf, isDeleting } from '@chandlery/runtime';
import { progressOf } from '../../model/offerings/progress-of.ts';
import { refs } from '../../model/tenants/refs.ts';
import { type FoundInstance, findInstance, type InstanceObject } from './instance-objects.ts';
import type { OfferDeps } from './read-offers.ts';

interface Secret extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

/** Returns the connection that the provider of an instance has published. */
export async function bindInstance(deps: OfferDeps, instanceId: string): Promise<JsonObject | 'in progress'> {
  const found = await findInstance(deps, instanceId);
  if (found === undefined) throw apiError('NotFound', 'there is no such instance');
  if (isDeleting(found.object)) throw apiError('Conflict', 'the instance is being deleted');
  const secret = await readConnection(deps.onboarding, found.object);
  return secret === undefined ? waiting(found) : valuesOf(secret);
}

/** Reads only a Secret that the object owns: its status might name any Secret of the namespace. */
async function readConnection(onboarding: Client, object: InstanceObject): Promise<Secret | undefined> {
  const { namespace = '', uid } = object.metadata;
  const name = connectionNameOf(object);
  if (name === undefined) return undefined;
  try {
    const secret = await onboarding.get<Secret>({ ...refs.secrets, namespace, name });
    return controllerOf(secret)?.uid === uid ? secret : undefined;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const connectionNameOf = (object: KubeObject): string | undefined =>
  (object['status'] as { readonly connectionSecretRef?: { readonly name?: string } } | undefined)?.connectionSecretRef
    ?.name;

/** A service publishes its connection when it becomes ready; a ready service without one will not publish any. */
function waiting({ kind, object }: FoundInstance): 'in progress' {
  const { state } = progressOf(object);
  if (state === 'failed') throw badRequest(`the ${kind.kind} has failed, and has no connection`);
  if (state === 'succeeded' && connectionNameOf(object) === undefined)
    throw badRequest(`the ${kind.kind} has no connection`);
  return 'in progress';
}

const valuesOf = ({ data = {} }: Secret): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
