import { ChandleryError, isError } from '@chandlery/api';
import { announceKey, readAnnouncements } from '../endpoints/announced/read-announcements.ts';
import type { AnnouncedEndpoints, Proxy } from '../ports.ts';

/** Codes of announcement errors, as the discovery server reports them. */
const rejectionCodes: Readonly<Record<string, string>> = {
  Forbidden: 'PermissionDenied',
  InvalidEndpoint: 'InvalidRequest',
};

/**
 * Announces the endpoints of a proxy, all or none, until the returned object is disposed of. Throws `PermissionDenied`
 * and `InvalidRequest`: a proxy whose announcement was ignored would wait for traffic that never comes.
 */
export function announceEndpoints(proxy: Proxy, announced: Pick<AnnouncedEndpoints, 'announce'>): Disposable {
  const { announcement = null, identity, region, zone } = proxy;
  const locality = { ...(region === undefined ? {} : { region }), ...(zone === undefined ? {} : { zone }) };
  using stack = new DisposableStack();
  try {
    const announcements = readAnnouncements({ metadata: { [announceKey]: announcement }, identity, locality });
    for (const each of announcements) stack.use(announced.announce(each));
  } catch (error) {
    throw isError(error, ...Object.keys(rejectionCodes)) ? rejectionOf(error) : error;
  }
  return stack.move();
}

const rejectionOf = (error: ChandleryError): ChandleryError =>
  new ChandleryError(rejectionCodes[error.code] ?? error.code, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    cause: error,
  });
