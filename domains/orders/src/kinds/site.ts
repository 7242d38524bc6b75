/** The schema of controllers whose services are sites, in both spellings. */
const siteSchema = /^urn:ivcap:schema[.:]service\.app-server\.1$/;

/** Labels of letters, digits and inner hyphens, the last of which is no number (RFC 1123). */
const fullName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

interface SiteSpec {
  readonly controller?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the controller of a service that is a site; undefined for all others. */
export function siteController({ controller }: SiteSpec): Readonly<Record<string, unknown>> | undefined {
  const schema = controller?.['$schema'];
  return typeof schema === 'string' && siteSchema.test(schema) ? controller : undefined;
}

/** Returns a host name as it is compared, in lower case and without the final dot; undefined unless it is fully qualified. */
export function normalizeHostName(host: unknown): string | undefined {
  if (typeof host !== 'string') return undefined;
  const name = host.toLowerCase().replace(/\.$/, '');
  return fullName.test(name) ? name : undefined;
}

/** Returns the host name of a service that is a site; undefined for all others. */
export const siteHostOf = (spec: SiteSpec): string | undefined => normalizeHostName(siteController(spec)?.['host']);
