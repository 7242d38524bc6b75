import { ChandleryError, type CustomKind, isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { shorten } from '@chandlery/clusters/kinds';
import { type Logger, silentLogger } from '@chandlery/platform';
import { providerNames, serviceProviders } from '@chandlery/providers/kinds';
import { installKinds } from '@chandlery/runtime';
import { openAccess } from '../access/open-access.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import { initToken, onboardingRequirement } from '../model/access-requirements.ts';
import { fieldManagerOf } from '../model/names.ts';
import { announceLiveness } from './report-liveness.ts';

export interface InstallProviderOptions {
  /** The name of the ServiceProvider. */
  readonly provider: string;
  readonly platform: Client;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  /** Called with one line for each completed action. Default: none. */
  readonly progress?: (line: string) => void;
  readonly logger?: Logger;
  readonly signal?: AbortSignal;
  /** The timeout for access to the onboarding cluster. Default 120,000. */
  readonly timeoutMs?: number;
}

/**
 * Implements `init`: installs the kinds of a provider on the clusters that their labels name, and reports the tenants'
 * kinds to the platform. Idempotent, also with a newer definition. Rejects with the failure.
 */
export async function installProvider(definition: ProviderDefinition, options: InstallProviderOptions): Promise<void> {
  const { provider, platform, progress = () => undefined, signal = neverAborted() } = options;
  await checkKnown(platform, provider);
  const { onPlatform, onOnboarding } = sortKinds(definition);
  await install(platform, onPlatform, options);
  progress(`Installed on the platform cluster: ${namesOf(onPlatform)}.`);
  await installOnOnboarding(onOnboarding, { ...options, signal });
  progress(`Installed on the onboarding cluster: ${namesOf(onOnboarding)}.`);
  await announceLiveness(options);
  await reportResources(definition, onOnboarding, options);
  progress(`ServiceProvider "${provider}" offers ${namesOf(onOnboarding)}.`);
}

async function checkKnown(platform: Client, provider: string): Promise<void> {
  try {
    await platform.get({ ...serviceProviders.ref, name: provider });
  } catch (error) {
    throw isError(error, 'NotFound') ? unknownProvider(provider) : error;
  }
}

async function installOnOnboarding(
  kinds: readonly CustomKind[],
  options: InstallProviderOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { provider, platform, connect, signal, progress, logger = silentLogger, timeoutMs = 120_000 } = options;
  const requirement = onboardingRequirement(provider, 'init--onboarding', initToken);
  progress?.('Asking for access to the onboarding cluster.');
  await using access = await openAccess({
    provider,
    platform,
    requirement,
    logger,
    signal,
    timeoutMs,
    ...(connect && { connect }),
  });
  await install(access.connection.client, kinds, options);
  await access.release();
}

const install = (
  client: Client,
  kinds: readonly CustomKind[],
  { provider, signal }: InstallProviderOptions,
): Promise<void> =>
  installKinds(
    client,
    kinds.map(({ crd }) => labelled(crd, provider)),
    { fieldManager: fieldManagerOf(provider), ...(signal && { signal }) },
  );

function labelled(crd: KubeObject, provider: string): KubeObject {
  const labels = { ...crd.metadata.labels, [providerNames.managedByLabel]: shorten(provider) };
  return { ...crd, metadata: { ...crd.metadata, labels } };
}

async function reportResources(
  { api, clusters }: ProviderDefinition,
  kinds: readonly CustomKind[],
  { provider, platform, signal }: InstallProviderOptions,
): Promise<void> {
  const resources: JsonObject[] = kinds.map(({ group, version, kind }) => ({
    group,
    version,
    kind,
    usesControlPlane: clusters?.mcp !== undefined && group === api.group && kind === api.kind,
  }));
  const at = { ...serviceProviders.ref, name: provider, subresource: 'status' };
  const options = { fieldManager: fieldManagerOf(provider), ...(signal && { signal }) };
  await platform.patch(at, { type: 'merge', body: { status: { resources } } }, options);
}

/** Sorts kinds by the label of their definitions; a kind without a label belongs to the platform. */
function sortKinds({ api, config, kinds = [] }: ProviderDefinition): {
  onPlatform: readonly CustomKind[];
  onOnboarding: readonly CustomKind[];
} {
  const all: readonly CustomKind[] = [api, config, ...kinds];
  const isOnOnboarding = ({ crd }: CustomKind): boolean =>
    crd.metadata.labels?.[providerNames.clusterLabel] === 'onboarding';
  return { onPlatform: all.filter(kind => !isOnOnboarding(kind)), onOnboarding: all.filter(isOnOnboarding) };
}

const namesOf = (kinds: readonly CustomKind[]): string =>
  kinds.map(({ plural, group }) => `${plural}.${group}`).join(', ') || 'nothing';

const neverAborted = (): AbortSignal => new AbortController().signal;

const unknownProvider = (provider: string): ChandleryError =>
  new ChandleryError('ProviderUnknown', `there is no ServiceProvider named "${provider}"`, {
    hint: 'Create it first, or correct --provider-name.',
  });
