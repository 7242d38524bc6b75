import assert from 'node:assert/strict';
import type { ResourceType } from '../../../../domains/mesh/src/model/resource.ts';
import { type MeshLandscape, tenant } from './mesh-landscape.ts';

/** The status of one type of a proxy, as the mesh shows it. */
export interface ShownType {
  readonly type: ResourceType;
  readonly state: string;
  readonly isInFlight: boolean;
  readonly ackedVersion?: string;
  readonly error?: { readonly message: string };
}

/** Reads the status of one type on the only stream of a proxy. */
export async function typeStatus({ landscape }: MeshLandscape, nodeId: string, type: ResourceType): Promise<ShownType> {
  const answer = await landscape.request(`/mesh/v1/meshes/${tenant}/proxies/${nodeId}`);
  assert.equal(answer.status, 200, answer.text);
  const { items } = answer.json<{ items: readonly { readonly types: readonly ShownType[] }[] }>();
  assert.equal(items.length, 1);
  return items[0]?.types.find(each => each.type === type) ?? assert.fail(`${nodeId} has not asked for ${type}`);
}
