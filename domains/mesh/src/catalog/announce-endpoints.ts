import { ChandleryError, isError } from '@chandlery/api';
import { announceKey, readAnnouncements } from '../endpoints/announced/read-announcements.ts';
import type { AnnouncedEndpoints, Proxy } from '../ports.ts';

/** In the words by which proxies are refused. */
const refusals: Readonly<Record<string, string>> = { Forbidden: 'PermissionDenied', InvalidEndpoint: 'InvalidRequest' };

/**
 * Takes in what a proxy announces, all or nothing, until what is returned is disposed of. Throws `PermissionDenied` and
 * `InvalidRequest`: whoever is told nothing would wait for calls that never come.
 */
export function announceEndpoints(proxy: Proxy, announced: Pick<AnnouncedEndpoints, 'announce'>): Disposable {
  const { announcement = null, identity, region, zone } = proxy;
  const locality = { ...(region !== undefined && { region }), ...(zone !== undefined && { zone }) };
  using stack = new DisposableStack();
  try {
    const announcements = readAnnouncements({ metadata: { [announceKey]: announcement }, identity, locality });
    for (const each of announcements) stack.use(announced.announce(each));
  } catch (error) {
    throw isError(error, ...Object.keys(refusals)) ? refusalOf(error) : error;
  }
  return stack.move();
}

const refusalOf = (error: ChandleryError): ChandleryError =>
  new ChandleryError(refusals[error.code] ?? error.code, error.message, {
    ...(error.hint !== undefined && { hint: error.hint }),
    cause: error,
  });
