import { invalidField, OrdersError } from '../../errors.ts';
import { type Service, siteController } from '../../kinds/index.ts';
import { checkSiteHost } from '../../model/sites/check-host.ts';
import { readSite, type SiteDescription } from '../../model/sites/read-site.ts';
import { mayHaveSite, type SiteDomains } from '../../model/sites/site-domains.ts';
import { urnOf } from '../../model/urns.ts';
import type { SiteStore } from '../../ports.ts';
import type { ActionDeps } from '../action-deps.ts';

export interface VerifySiteDeps extends Pick<ActionDeps, 'registry' | 'budget'> {
  readonly sites: SiteStore;
  /** Names of the landscape itself, in lower case. */
  readonly ownHosts: ReadonlySet<string>;
  readonly siteDomains: SiteDomains;
}

/**
 * Returns the check of services that are sites: the host name is free, and the archive can be served. It is unpacked by then,
 * so the site changes at once when the service is stored. Throws `invalid`, `already-exists` and `limit-exceeded`.
 */
export const verifySite =
  (deps: VerifySiteDeps) =>
  async (spec: Service['spec'], tenant: string, id?: string): Promise<void> => {
    const controller = siteController(spec);
    if (controller === undefined) return;
    const site = readSite(controller);
    const host = checkSiteHost(site.host, deps.ownHosts);
    checkDomain(deps, host, tenant);
    checkFree(deps, { host, tenant, id });
    const { files } = await deps.sites.open(archiveDigest(deps, site, tenant));
    if (site.fallback === undefined || files.has(site.fallback)) return;
    throw invalidField('controller.404', 'controller.404 is no file of the archive', controller['404']);
  };

function checkDomain({ siteDomains }: VerifySiteDeps, host: string, tenant: string): void {
  if (mayHaveSite(siteDomains, host, tenant)) return;
  const message = `controller.host is in a domain in which ${tenant} may have no sites; operators assign domains`;
  throw invalidField('controller.host', message, host);
}

interface Claim {
  readonly host: string;
  readonly tenant: string;
  /** The service that is replaced. */
  readonly id: string | undefined;
}

/** The unique key of the kind decides; this reports it before an archive is unpacked. */
function checkFree({ registry, budget }: VerifySiteDeps, { host, tenant, id }: Claim): void {
  for (const other of registry.services.by('siteHost', host)) if (other.id !== id) throw hostTaken(host);
  const isSite = id !== undefined && [...registry.services.by('siteTenant', tenant)].some(row => row.id === id);
  if (!isSite) budget.checkSites(tenant);
}

/** Returns the error of a host name that another site has. */
export const hostTaken = (host: string): OrdersError =>
  new OrdersError('already-exists', `Another service has the host ${host} already`, {
    name: 'controller.host',
    value: host,
  });

function archiveDigest({ registry }: VerifySiteDeps, { artifact }: SiteDescription, tenant: string): string {
  const row = registry.artifacts.get(artifact);
  const urn = urnOf('artifact', artifact);
  if (row === undefined || row.tenant !== tenant)
    throw invalidField('controller.artifact', `controller.artifact: there is no ${urn}`, urn);
  const { status = 'unknown', digest } = row.status;
  if (status !== 'ready' || digest === undefined)
    throw invalidField('controller.artifact', `controller.artifact: ${urn} is ${status}, not ready`, urn);
  return digest;
}
