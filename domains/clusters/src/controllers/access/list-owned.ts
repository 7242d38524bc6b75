import type { Client } from '@chandlery/client';
import { type OwnedObject, ownedKinds } from '../../model/access/owned-objects.ts';

/** Lists the objects of requests on a cluster, live. */
export async function listOwned(
  client: Client,
  labelSelector: string,
  signal: AbortSignal,
): Promise<readonly OwnedObject[]> {
  const lists = ownedKinds.map(async kind => {
    const { group, version, plural } = kind;
    const found: OwnedObject[] = [];
    for await (const item of client.listAll({ group, version, plural }, { labelSelector, signal })) {
      // Items of a list may lack their type.
      found.push({ kind, object: { ...item, apiVersion: group ? `${group}/${version}` : version, kind: kind.kind } });
    }
    return found;
  });
  return (await Promise.all(lists)).flat();
}
