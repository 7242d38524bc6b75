import { LruCache } from '@chandlery/platform';
import { siteController, siteHostOf } from '../../kinds/index.ts';
import { readSite } from '../../model/sites/read-site.ts';
import { mayHaveSite, type SiteDomains } from '../../model/sites/site-domains.ts';
import { urnOf } from '../../model/urns.ts';
import type { SiteStore } from '../../ports.ts';
import type { ServiceRow } from '../../registry/orders-registry.ts';
import type { ActionDeps } from '../action-deps.ts';

/** A site that is served. */
export interface ServedSite {
  readonly service: string;
  /** The digest of the archive. Undefined: its artifact no longer exists. */
  readonly digest: string | undefined;
  /** The path of the file for requests that find nothing. */
  readonly fallback: string | undefined;
}

export interface SiteDirectoryDeps extends Pick<ActionDeps, 'registry' | 'logger'> {
  readonly sites: SiteStore;
  /** Names of the landscape itself, in lower case. Never those of a site. */
  readonly ownHosts: ReadonlySet<string>;
  readonly siteDomains: SiteDomains;
}

const sweepEveryMs = 60_000;
/** Host names that are remembered after their sites were removed. */
const maxFormerHosts = 10_000;

/** The sites by their host names, from the records as they are now. Removes unpacked archives that no site has. */
export class SiteDirectory implements AsyncDisposable {
  readonly #deps: SiteDirectoryDeps;
  readonly #former = new LruCache<string, true>(maxFormerHosts);
  readonly #stopListening: () => void;
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(deps: SiteDirectoryDeps) {
    this.#deps = deps;
    this.#stopListening = deps.registry.services.listen(({ row, previous }) => this.#remember(previous ?? row));
    const sweep = (): void => void (this.#sweeping = this.#sweeping.then(() => this.#trySweep()));
    this.#timer = setInterval(sweep, sweepEveryMs).unref();
    sweep();
  }

  /** Whether a site has the host name, which is in lower case. */
  isServed(host: string): boolean {
    return this.#serviceOf(host) !== undefined;
  }

  /** Whether requests to a host name are for sites: also those to one that was removed while this process runs. */
  claims(host: string): boolean {
    return this.isServed(host) || (!this.#deps.ownHosts.has(host) && this.#former.get(host) === true);
  }

  /** Returns the site of a host name; undefined when there is none, or none that can be read. */
  find(host: string): ServedSite | undefined {
    const row = this.#serviceOf(host);
    return row === undefined ? undefined : this.#describe(row);
  }

  /** Services in domains of other tenants, which kubectl can store, are not served. */
  #serviceOf(host: string): ServiceRow | undefined {
    const { registry, ownHosts, siteDomains } = this.#deps;
    const [row] = ownHosts.has(host) ? [] : registry.services.by('siteHost', host);
    return row !== undefined && mayHaveSite(siteDomains, host, row.tenant) ? row : undefined;
  }

  /** Removes unpacked archives that no site has. */
  async sweep(): Promise<void> {
    for (const digest of await this.#deps.sites.digests())
      if (!this.#isUsed(digest)) await this.#deps.sites.remove(digest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  #describe({ id, tenant, spec }: ServiceRow): ServedSite | undefined {
    try {
      const { artifact, fallback } = readSite(siteController(spec) ?? {});
      const row = this.#deps.registry.artifacts.get(artifact);
      const isReadable = row?.tenant === tenant && row.status.status === 'ready';
      return { service: urnOf('service', id), digest: isReadable ? row.status.digest : undefined, fallback };
    } catch {
      // kubectl stores what the REST API would reject.
      return undefined;
    }
  }

  #remember({ spec }: ServiceRow): void {
    const host = siteHostOf(spec);
    if (host !== undefined) this.#former.set(host, true);
  }

  #isUsed(digest: string): boolean {
    const { artifacts, services } = this.#deps.registry;
    for (const { id } of artifacts.by('digest', digest))
      if (services.count('siteArtifact', urnOf('artifact', id)) > 0) return true;
    return false;
  }

  #trySweep(): Promise<void> {
    const { logger } = this.#deps;
    return this.sweep().catch((error: unknown) => logger.warn('unpacked sites could not be removed', { error }));
  }
}
