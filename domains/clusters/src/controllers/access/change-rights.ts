import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { labelKey } from '../../model/access/access-names.ts';
import type { OwnedKind, OwnedObject, WantedObject } from '../../model/access/owned-objects.ts';
import { type RightsChange, updatedObject } from '../../model/access/plan-rights.ts';

const fieldManager = 'chandlery-access';

/** Applies changes on a cluster, one after the other. */
export async function changeRights(
  client: Client,
  changes: readonly RightsChange[],
  signal: AbortSignal,
): Promise<void> {
  for (const change of changes) await carryOut(client, change, signal);
}

async function carryOut(client: Client, change: RightsChange, signal: AbortSignal): Promise<void> {
  switch (change.type) {
    case 'delete':
      return deleteOwned(client, change.found, signal);
    case 'create':
      return create(client, change.wanted, signal);
    case 'update':
      return update(client, change.wanted, change.found, signal);
    case 'replace':
      await deleteOwned(client, { kind: change.wanted.kind, object: change.found }, signal);
      return create(client, change.wanted, signal);
  }
}

/** Deletes the object by uid, not one of the same name created later. A missing one is no error. */
export async function deleteOwned(client: Client, { kind, object }: OwnedObject, signal: AbortSignal): Promise<void> {
  const { uid } = object.metadata;
  try {
    await client.delete(refTo(kind, object), { preconditions: { uid }, signal });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

async function create(client: Client, wanted: WantedObject, signal: AbortSignal): Promise<void> {
  try {
    await client.create(refTo(wanted.kind, wanted.object), wanted.object, { fieldManager, signal });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
    await takeBack(client, wanted, signal);
  }
}

/**
 * Handles an object with the name but without our labels: ours if no other client can have the name, otherwise it is
 * not changed.
 */
async function takeBack(client: Client, wanted: WantedObject, signal: AbortSignal): Promise<void> {
  const found = await client.get(refTo(wanted.kind, wanted.object), { signal });
  const isOurs = wanted.isNameOurs || labelKey(found.metadata.labels) === labelKey(wanted.object.metadata.labels);
  if (!isOurs) throw nameTaken(wanted);
  await update(client, wanted, found, signal);
}

async function update(client: Client, wanted: WantedObject, found: KubeObject, signal: AbortSignal): Promise<void> {
  const { managedFields: _, ...metadata } = found.metadata;
  const object = updatedObject(wanted.object, { ...found, metadata });
  await client.update(refTo(wanted.kind, wanted.object), object, { fieldManager, signal });
}

function refTo({ group, version, plural }: OwnedKind, { metadata: { name = '', namespace } }: KubeObject): ObjectRef {
  return { group, version, plural, name, ...(namespace ? { namespace } : {}) };
}

const nameTaken = ({ kind, object: { metadata } }: WantedObject): ChandleryError =>
  new ChandleryError('NameTaken', `there is another ${kind.kind} "${metadata.name ?? ''}" on the cluster already`, {
    hint: 'Give the permission another name, or none.',
  });
