import type { KubeObject } from '@chandlery/api';
import { hostImages } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import type { PlacedResource } from '../resources.ts';
import { type ManagedResource, serviceReady, serviceRef, sharedClusterOf, type ValidatedObject } from '../tenants.ts';
import { drop, find, hold, until, type ValidationContext, type ValidationTenant } from '../validation-context.ts';
import { applyPlatform, isOwnImage, providerRef } from './install.ts';

const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };
const notReady = 'SharedServiceNotReady';

interface Deployment extends KubeObject {
  spec: {
    selector: { matchLabels?: Record<string, string> };
    template: { spec: { containers: { image: string }[] } };
  };
}

interface SharedWorkload extends PlacedResource {
  readonly deployment: Deployment;
}

/**
 * 2j: while what all tenants share cannot run, neither the provider nor any service object is ready. The provider
 * repairs edits, so the images that it runs from are removed. Returns why the row was skipped, if it was.
 */
export async function checkShared(
  context: ValidationContext,
  tenants: readonly ValidationTenant[],
): Promise<string | undefined> {
  const workload = await findShared(context);
  if (workload === undefined) return 'the provider shares no Deployment among its tenants';
  const images = await imagesOf(context, workload);
  if (images.length === 0) return 'what is shared does not run from a HostImage that this validation has installed';
  try {
    for (const { metadata } of images) await drop(context.platform, { ...hostImages.ref, name: metadata.name ?? '' });
    await deletePods(workload);
    await checkUnready(context, tenants, workload);
  } finally {
    for (const image of images) await applyPlatform(context, image);
  }
  await until(context, 'the provider to be ready again', async () =>
    isConditionTrue(await context.platform.get<Provider>(providerRef(context)), 'Ready'),
  );
  for (const tenant of tenants) await serviceReady(context, tenant);
  return undefined;
}

async function findShared(context: ValidationContext): Promise<SharedWorkload | undefined> {
  const ref = { ...context.configs, name: context.file.config.metadata.name ?? '' };
  const { status } = await context.platform.get<KubeObject & { status?: { resources?: ManagedResource[] } }>(ref);
  const entry = status?.resources?.find(({ kind }) => kind === 'Deployment');
  const cluster = entry && (await sharedClusterOf(context));
  if (entry === undefined || cluster === undefined) return undefined;
  const client = await context.connect(cluster);
  const at = { ...deployments, namespace: entry.namespace ?? '', name: entry.name };
  return { client, kind: entry.kind, ref: at, deployment: await client.get<Deployment>(at) };
}

/** The HostImages of the installation that the containers run from; none when other clients have written them too. */
async function imagesOf(context: ValidationContext, { deployment }: SharedWorkload): Promise<readonly KubeObject[]> {
  const used = deployment.spec.template.spec.containers.map(({ image }) => image);
  const isUsed = ({ kind, spec }: KubeObject & { spec?: { image?: string } }): boolean =>
    kind === hostImages.kind && used.some(image => image.split(':', 1)[0] === spec?.image);
  const images = context.file.install.filter(isUsed);
  for (const { metadata } of images) {
    const live = await find(context.platform, { ...hostImages.ref, name: metadata.name ?? '' });
    if (live === undefined || !isOwnImage(live)) return [];
  }
  return images;
}

async function deletePods({ client, ref: { namespace = '' }, deployment }: SharedWorkload): Promise<void> {
  const labels = Object.entries(deployment.spec.selector.matchLabels ?? {});
  const labelSelector = labels.map(([label, value]) => `${label}=${value}`).join(',');
  const pods = { group: '', version: 'v1', plural: 'pods', namespace };
  const { items } = await client.list(pods, { labelSelector });
  for (const { metadata } of items) await drop(client, { ...pods, name: metadata.name ?? '' });
}

async function checkUnready(
  context: ValidationContext,
  tenants: readonly ValidationTenant[],
  { ref }: SharedWorkload,
): Promise<void> {
  const { name } = providerRef(context);
  const provider = await until(context, `${serviceProviders.kind} "${name}" to be unready`, async () => {
    const current = await context.platform.get<Provider>(providerRef(context));
    return findCondition(current, 'Ready')?.status === 'False' && current;
  });
  const shared = findCondition(provider, 'SharedReady');
  hold(shared?.reason === notReady, `SharedReady of the provider is ${shared?.reason ?? 'missing'}`);
  hold(shared.message?.includes(ref.name) === true, `"${ref.name}" is not in the message: ${shared.message ?? ''}`);
  for (const tenant of tenants)
    await until(context, `"${tenant.name}" to say that the shared service is not ready`, async () => {
      const object = await context.onboarding.get<ValidatedObject>(serviceRef(context, tenant));
      const ready = findCondition(object, 'Ready');
      return ready?.status === 'False' && ready.reason === notReady;
    });
}
