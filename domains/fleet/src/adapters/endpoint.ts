import { isLoopbackHost } from '@chandlery/platform';
import { peerRejected } from '../port-errors.ts';

/**
 * Returns the address of a system outside. Throws `TerminalError` unless it is https, or http on loopback: credentials
 * and answers cross the network otherwise in the clear. `setting` says where the address is configured.
 */
export function checkEndpoint(url: string, setting: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol))
    throw peerRejected(
      `${setting} is not an http or https address`,
      `Set ${setting} to an address such as https://host.`,
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw peerRejected(`${setting} must not contain credentials`, `Give credentials in their own settings.`);
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname))
    throw peerRejected(`${setting} is plain http to ${parsed.hostname}`, 'Use https; plain http is for loopback only.');
  return parsed;
}
