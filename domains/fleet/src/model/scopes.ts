/**
 * Names of what is limited. Parts are encoded, so that no name of an organisation or a user can reach into another
 * scope.
 */

const scope = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/** The quota that the members of an organisation share. */
export const organisationScope = (product: string, organisation: string): string =>
  scope('quota', product, 'org', organisation);

/** The quota of an account, in whichever organisation. */
export const accountScope = (product: string, username: string): string => scope('quota', product, 'account', username);

/** The trial quota of an owner, in whichever organisation. */
export const trialQuotaScope = (product: string, username: string): string =>
  scope('quota', product, 'trial', username);

/** The trial instances of an owner in an organisation. */
export const trialScope = (product: string, organisation: string, owner: string): string =>
  scope('trial', product, organisation, owner);

/** What a region holds of a type. */
export const regionScope = (
  product: string,
  { cloudProvider, region, instanceType }: { cloudProvider: string; region: string; instanceType: string },
): string => scope('region', product, cloudProvider, region, instanceType);

/** What a cluster holds. */
export const clusterScope = (product: string, clusterId: string): string => scope('cluster', product, clusterId);

/** What a cluster holds of a type, where its agent reports that. */
export const clusterTypeScope = (product: string, clusterId: string, instanceType: string): string =>
  scope('cluster', product, clusterId, instanceType);

/** The name of one unit. */
export const unitName = (scopeName: string, unit: number): string => `${scopeName}#${unit}`;

/** The scope and the number of a unit; undefined for a text that names none. */
export function parseUnit(hold: string): { readonly scope: string; readonly unit: number } | undefined {
  const separator = hold.lastIndexOf('#');
  const unit = Number(hold.slice(separator + 1));
  return separator < 1 || !Number.isSafeInteger(unit) || unit < 0
    ? undefined
    : { scope: hold.slice(0, separator), unit };
}

/** Units that are needed of a scope that has a limit. */
export interface Demand {
  readonly scope: string;
  readonly units: number;
  readonly limit: number;
}

/** How many units of a scope are occupied, limited or not. */
export interface UnitUsage {
  used(scope: string): number;
}

/** Whether the units fit. */
export const fits = ({ scope: name, units, limit }: Demand, usage: UnitUsage): boolean =>
  units === 0 || usage.used(name) + units <= limit;
