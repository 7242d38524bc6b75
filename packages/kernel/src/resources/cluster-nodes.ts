import type { ResourceDeps } from './request.ts';

/** Whether a cluster has nodes. One without has no scheduler, no kubelet and no disruption controller either. */
export async function hasNodes({ store }: Pick<ResourceDeps, 'store'>, cluster: string): Promise<boolean> {
  const { items } = await store.list({ cluster, resource: '/nodes', limit: 1 });
  return items.length > 0;
}
