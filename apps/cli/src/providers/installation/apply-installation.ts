import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { hostImages, shorten } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { apply } from '@chandlery/runtime';
import { resourceOf } from '@chandlery/sdk/validate';
import type { Installation } from './installation.ts';

/** Owns what the commands apply. */
export const fieldManager = 'chandlery-cli';

/** The label of HostImages that says with which provider they were installed. */
const partOfLabel = 'app.kubernetes.io/part-of';

/** Selects the HostImages that were installed with a provider. */
export const installedWith = (provider: string): string => `${partOfLabel}=${shorten(provider)}`;

/** Applies HostImages and the ServiceProvider; returns the stored ServiceProvider. */
export async function applyInstallation(
  platform: Client,
  { name, others, provider }: Pick<Installation, 'name' | 'others' | 'provider'>,
): Promise<Provider> {
  const labelled = others.map(object => withLabel(object, name));
  for (const object of labelled) await applyObject(platform, object);
  return (await applyObject(platform, provider)) as Provider;
}

/** Applies the configuration of a provider, whose kind exists once the provider is initialized. */
export async function applyConfigs(platform: Client, { configs }: Pick<Installation, 'configs'>): Promise<void> {
  for (const object of configs) await applyObject(platform, object);
}

function withLabel(object: KubeObject, provider: string): KubeObject {
  const labels = { ...object.metadata.labels, [partOfLabel]: shorten(provider) };
  return { ...object, metadata: { ...object.metadata, labels } };
}

const plurals: Readonly<Record<string, string>> = {
  [hostImages.kind]: hostImages.plural,
  [serviceProviders.kind]: serviceProviders.plural,
};

async function applyObject(platform: Client, object: KubeObject): Promise<KubeObject | undefined> {
  const plural = plurals[object.kind] ?? (await resourceOf(platform, object)).plural;
  const [stored] = await apply(platform, fieldManager, [{ plural, object }]);
  return stored;
}
