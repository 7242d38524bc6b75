import { invalidField } from '../../errors.ts';
import { fieldsOf, type Json } from '../bodies/body-fields.ts';
import { parseUrn } from '../urns.ts';
import { entryPath } from './entry-path.ts';

/** What the controller of a site says. */
export interface SiteDescription {
  readonly host: string;
  /** The UUID of the artifact with the archive. */
  readonly artifact: string;
  /** The path in the archive of the file for requests that find nothing. */
  readonly fallback: string | undefined;
}

/** Reads the controller of a site. Throws `invalid` with the field. The host is checked by {@link checkSiteHost}. */
export function readSite(controller: Json): SiteDescription {
  const fields = fieldsOf(controller, 'controller.');
  const urn = fields.requiredText('artifact');
  const artifact = parseUrn('artifact', urn);
  if (artifact === undefined)
    throw invalidField('controller.artifact', 'controller.artifact must be the URN of an artifact', urn);
  return { host: fields.requiredText('host'), artifact, fallback: readFallback(fields.text('404')) };
}

function readFallback(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  try {
    return entryPath(given.replace(/^\//, ''));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidField('controller.404', `controller.404 is no path of a file: ${reason}`, given);
  }
}
