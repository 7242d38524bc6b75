/** The tenants that may have sites in a domain and below, by domain. `*` stands for all other domains; without it these are open to all. */
export type SiteDomains = Readonly<Record<string, readonly string[]>>;

/** The key of all domains that are not named. */
export const otherDomains = '*';

/** Whether a tenant may have a site of a host name, which is in its normal form. The longest domain that fits decides. */
export function mayHaveSite(domains: SiteDomains, host: string, tenant: string): boolean {
  const labels = host.split('.');
  for (let at = 0; at < labels.length; at++) {
    const tenants = tenantsOf(domains, labels.slice(at).join('.'));
    if (tenants !== undefined) return tenants.includes(tenant);
  }
  return tenantsOf(domains, otherDomains)?.includes(tenant) ?? true;
}

const tenantsOf = (domains: SiteDomains, domain: string): readonly string[] | undefined =>
  Object.hasOwn(domains, domain) ? domains[domain] : undefined;
