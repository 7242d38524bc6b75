import type { KubeObject } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { type Cluster, clusters } from '@chandlery/clusters/kinds';
import { ignoreNotFound } from '@chandlery/runtime';
import type { CommandContext } from '../../command.ts';
import { connectTo } from '../../landscape/connect-to.ts';
import { type Installation, isHostImage } from '../installation/installation.ts';

interface Pod extends KubeObject {
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
}

const pods = { group: '', version: 'v1', plural: 'pods' };

/**
 * Deletes the pods of a provider's domain services on local clusters, so that what owns them starts the changed code.
 * Returns their number.
 */
export async function restartServices(
  context: CommandContext,
  platform: HttpClient,
  installation: Pick<Installation, 'others' | 'provider'>,
): Promise<number> {
  const images = serviceImages(installation);
  if (images.length === 0) return 0;
  let count = 0;
  for await (const cluster of platform.listAll<Cluster>(clusters.ref)) {
    const name = cluster.status?.endpoints?.[0]?.url.split('/clusters/')[1];
    if (cluster.spec.profile !== 'local' || name === undefined) continue;
    await using client = connectTo(context, name);
    count += await deletePods(client, images);
  }
  return count;
}

/** The images of the folder besides the provider's own. */
const serviceImages = ({ others, provider }: Pick<Installation, 'others' | 'provider'>): readonly string[] =>
  others.flatMap(object =>
    isHostImage(object) && !isOf(provider.spec.image, object.spec.image) ? object.spec.image : [],
  );

const isOf = (image: string, name: string): boolean => image === name || image.startsWith(`${name}:`);

async function deletePods(client: HttpClient, images: readonly string[]): Promise<number> {
  const { items } = await client.list<Pod>(pods);
  const isMeant = ({ spec }: Pod): boolean =>
    spec?.containers?.some(({ image = '' }) => images.some(name => isOf(image, name))) ?? false;
  const found = items.filter(isMeant);
  for (const { metadata } of found) {
    const at = { ...pods, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    await client.delete(at).catch(ignoreNotFound);
  }
  return found.length;
}
