import { clusterProviders, type ProviderKind, platformServices, serviceProviders } from '../../kinds/index.ts';

/** One of the three kinds of providers, with the prefix of its objects' names. */
export interface ProviderClass {
  readonly kind: ProviderKind;
  readonly prefix: 'sp' | 'cp' | 'ps';
}

export const serviceProviderClass: ProviderClass = { kind: serviceProviders, prefix: 'sp' };
export const clusterProviderClass: ProviderClass = { kind: clusterProviders, prefix: 'cp' };
export const platformServiceClass: ProviderClass = { kind: platformServices, prefix: 'ps' };

/** All three. */
export const providerClasses: readonly ProviderClass[] = [
  serviceProviderClass,
  clusterProviderClass,
  platformServiceClass,
];

/** The ClusterProvider that is part of this program: nothing is deployed for it. */
export const builtInProviderName = 'chandlery';
