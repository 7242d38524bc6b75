import { isError, type KubeObject } from '@chandlery/api';
import type { AtomicWrite, Client, ObjectRef } from '@chandlery/client';
import { type SmError, smError } from '../model/sm-error.ts';
import type { PutSecret, RemoveSecret } from './registry.ts';

/** Tells which Secrets the service manager made. */
const managedLabel = 'brokers.chandlery.io/managed';

const refOf = (tenant: string, name: string): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace: tenant,
  name,
});

/** What a Secret holds; undefined when there is none. */
export async function readSecret(
  client: Client,
  tenant: string,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const secret = await findObject(client, refOf(tenant, name));
  if (secret === undefined) return undefined;
  const data = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  return mapValues(data, value => Buffer.from(value, 'base64').toString());
}

/** The store's part of a write to a Secret, as it is now; undefined when there is nothing to do. */
export async function secretWriteOf(client: Client, write: PutSecret | RemoveSecret): Promise<AtomicWrite | undefined> {
  const ref = refOf(write.tenant, write.name);
  const present = await findObject(client, ref);
  const isOurs = present?.metadata.labels?.[managedLabel] === 'true';
  if (write.type === 'remove-secret') return isOurs ? { type: 'remove', ref } : undefined;
  if (present !== undefined && !isOurs) throw secretTaken(write);
  const object = secretOf(write, present);
  if (present === undefined) return { type: 'create', ref, object };
  return { type: 'replace', ref, object, resourceVersion: present.metadata.resourceVersion ?? '' };
}

/** Whoever names a Secret for credentials must not be able to overwrite somebody else's. */
const secretTaken = ({ tenant, name }: PutSecret): SmError =>
  smError('Conflict', `the Secret "${name}" of "${tenant}" exists and was not made by the service manager`);

/** True when somebody else wrote or removed the Secret meanwhile: with what holds now the commit may succeed. */
export const isSecretRace = (error: unknown): boolean =>
  isError(error, 'Conflict', 'AlreadyExists', 'NotFound') && error.details.kind === 'secrets';

/** The object at a place; undefined when there is none. */
export async function findObject(client: Client, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref);
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function secretOf({ tenant, name, data }: PutSecret, present: KubeObject | undefined): KubeObject {
  const { labels, annotations, finalizers, ownerReferences } = present?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: tenant,
      labels: { ...labels, [managedLabel]: 'true' },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    type: present?.['type'] ?? 'Opaque',
    data: mapValues(data, value => Buffer.from(value).toString('base64')),
  };
}

const mapValues = (data: Readonly<Record<string, string>>, change: (value: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value)]));
