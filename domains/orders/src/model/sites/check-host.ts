import { invalidField } from '../../errors.ts';
import { normalizeHostName } from '../../kinds/index.ts';

/** Domains that stand for this machine, or for addresses inside of clusters. */
const reservedDomains = ['localhost', 'svc', 'cluster.local'];

/**
 * Returns the host name of a site in its normal form. Throws `invalid` for anything but a fully qualified name, and for
 * names that a site must not take from the landscape.
 */
export function checkSiteHost(host: unknown, ownNames: ReadonlySet<string>): string {
  const name = normalizeHostName(host);
  if (name === undefined)
    throw invalidHost('must be a fully qualified host name such as site.example.com, without port', host);
  if (reservedDomains.some(domain => name.endsWith(`.${domain}`)))
    throw invalidHost('must not be in a domain that stands for this machine or a cluster', host);
  if (ownNames.has(name)) throw invalidHost('is a name of the landscape itself', host);
  return name;
}

const invalidHost = (problem: string, value: unknown) =>
  invalidField('controller.host', `controller.host ${problem}`, value);
