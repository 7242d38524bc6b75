import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ListOptions, ResourceRef } from '@chandlery/client';
import { type Provider, providerNames, serviceProviders } from '../../kinds/index.ts';
import { findKinds } from '../../model/offerings/find-kinds.ts';
import { offerNames } from '../../model/offerings/offer-names.ts';
import { offerOf } from '../../model/offerings/read-plans.ts';
import type { OfferedKind, ServiceOffer } from '../../model/offerings/service-offer.ts';
import { type Crd, ownDefinitions } from '../../model/operator/own-kinds.ts';
import { refs } from '../../model/tenants/refs.ts';

/** The clusters of the offerings. */
export interface OfferDeps {
  readonly platform: Client;
  readonly onboarding: Client;
}

/** The place of a provider's configuration: cluster-scoped, in the group of its services, with its name. */
interface ConfigPlace extends ResourceRef {
  readonly provider: string;
}

/** The offers, and where they are configured. */
export interface OffersRead {
  readonly offers: readonly ServiceOffer[];
  readonly configPlaces: readonly ConfigPlace[];
}

/** Selects the definitions of kinds that providers have installed. */
export const ownedSelector: string = providerNames.managedByLabel;

/** The kinds that providers serve to tenants now. */
export async function readKinds({ platform, onboarding }: OfferDeps): Promise<readonly OfferedKind[]> {
  const providers = await listServed<Provider>(platform, serviceProviders.ref);
  return providers.length === 0 ? [] : findKinds(providers, await readDefinitions(onboarding));
}

/** The kinds that providers serve to tenants now, with their plans. */
export async function readOffers(deps: OfferDeps): Promise<OffersRead> {
  const kinds = await readKinds(deps);
  const configPlaces = kinds.length === 0 ? [] : placesOf(kinds, await readDefinitions(deps.platform));
  const texts = new Map<string, string>();
  for (const place of configPlaces) {
    const text = await readPlansText(deps.platform, place);
    if (text !== undefined) texts.set(place.provider, text);
  }
  return { offers: kinds.map(kind => offerOf(kind, texts.get(kind.provider))), configPlaces };
}

const readDefinitions = (client: Client): Promise<readonly Crd[]> =>
  listServed<Crd>(client, refs.customResourceDefinitions, { labelSelector: ownedSelector });

function placesOf(kinds: readonly OfferedKind[], definitions: readonly Crd[]): readonly ConfigPlace[] {
  const groups = new Map<string, Set<string>>();
  for (const { provider, group } of kinds) groups.set(provider, (groups.get(provider) ?? new Set()).add(group));
  return [...groups].flatMap(([provider, own]) =>
    ownDefinitions(definitions, provider)
      .filter(({ spec }) => own.has(spec?.group ?? '') && isClusterScoped(spec))
      .flatMap(({ spec }) => placeOf(provider, spec)),
  );
}

const isClusterScoped = (spec: unknown): boolean => (spec as { readonly scope?: string }).scope === 'Cluster';

function placeOf(provider: string, spec: Crd['spec']): ConfigPlace[] {
  const version = spec?.versions.find(({ served }) => served)?.name;
  if (spec === undefined || version === undefined) return [];
  return [{ provider, group: spec.group, version, plural: spec.names.plural }];
}

async function readPlansText(platform: Client, { provider: name, ...ref }: ConfigPlace): Promise<string | undefined> {
  try {
    const { metadata } = await platform.get({ ...ref, name });
    return metadata.annotations?.[offerNames.plansAnnotation];
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/**
 * All objects of a kind; none while it is not served, as before the landscape is set up or after a provider is removed.
 */
export async function listServed<T extends KubeObject>(
  client: Client,
  ref: ResourceRef,
  options: ListOptions = {},
): Promise<readonly T[]> {
  try {
    return (await client.list<T>(ref, options)).items;
  } catch (error) {
    if (isError(error, 'NotFound')) return [];
    throw error;
  }
}
