import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { AtomicWrite, Client, ObjectRef } from '@chandlery/client';
import type { PutSecret, RemoveSecret } from './row-writes.ts';

/** How a registry distinguishes its own Secrets from others. */
export interface SecretOwnership {
  /** The label, with the value `true`, of Secrets that the registry made. Others are neither replaced nor removed. */
  readonly managedLabel: string;
  /** Who owns the registry, for messages: "the service manager". */
  readonly owner: string;
  /** Makes the error for a Secret that another client made. Default: a `ChandleryError` with the code `Conflict`. */
  readonly secretTakenError?: (message: string) => Error;
}

const refOf = (tenant: string, name: string): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace: tenant,
  name,
});

/** Reads the data of a Secret; undefined when there is none. */
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

/** Returns what a write to a Secret writes to the store, given the Secret as it is now; undefined when there is nothing to do. */
export async function secretWriteOf(
  client: Client,
  write: PutSecret | RemoveSecret,
  ownership: SecretOwnership,
): Promise<AtomicWrite | undefined> {
  const ref = refOf(write.tenant, write.name);
  const present = await findObject(client, ref);
  const isOurs = present?.metadata.labels?.[ownership.managedLabel] === 'true';
  if (write.type === 'remove-secret') return isOurs ? { type: 'remove', ref } : undefined;
  if (present !== undefined && !isOurs) throw secretTaken(write, ownership);
  const object = secretOf(write, present, ownership);
  if (present === undefined) return { type: 'create', ref, object };
  return { type: 'replace', ref, object, resourceVersion: present.metadata.resourceVersion ?? '' };
}

/** A client that names a Secret for credentials must not be able to overwrite the Secret of another client. */
function secretTaken({ tenant, name }: PutSecret, { owner, secretTakenError = newConflict }: SecretOwnership): Error {
  return secretTakenError(`the Secret "${name}" of "${tenant}" exists and was not made by ${owner}`);
}

const newConflict = (message: string): Error => new ChandleryError('Conflict', message);

/** True when another client wrote or removed the Secret since it was read: a commit that reads it again may succeed. */
export const isSecretRace = (error: unknown): boolean =>
  isError(error, 'Conflict', 'AlreadyExists', 'NotFound') && error.details.kind === 'secrets';

/** Reads an object; undefined when there is none. */
export async function findObject(client: Client, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref);
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function secretOf(
  { tenant, name, data }: PutSecret,
  present: KubeObject | undefined,
  { managedLabel }: SecretOwnership,
): KubeObject {
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
