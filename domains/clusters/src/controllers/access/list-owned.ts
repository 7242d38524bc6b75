import type { Client } from '@chandlery/client';
import { type OwnedObject, ownedKinds } from '../../model/access/owned-objects.ts';

/** All objects of a selection that requests may have on a cluster, as the cluster has them now. */
export async function listOwned(
  client: Client,
  labelSelector: string,
  signal: AbortSignal,
): Promise<readonly OwnedObject[]> {
  const lists = ownedKinds.map(async kind => {
    const { group, version, plural } = kind;
    const found: OwnedObject[] = [];
    for await (const item of client.listAll({ group, version, plural }, { labelSelector, signal })) {
      // Items of a list need not say what they are.
      found.push({ kind, object: { ...item, apiVersion: group ? `${group}/${version}` : version, kind: kind.kind } });
    }
    return found;
  });
  return (await Promise.all(lists)).flat();
}
