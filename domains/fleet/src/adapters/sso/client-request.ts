import { peerRejected } from '../../port-errors.ts';
import type { ClientRequest } from '../../ports.ts';

const maxIdLength = 255;
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Throws `TerminalError` for a client id that no provider should be asked for. */
export function checkClientRequest({ clientId }: ClientRequest): void {
  if (clientId.length <= maxIdLength && idPattern.test(clientId)) return;
  throw peerRejected(
    `cannot make the client ${JSON.stringify(clientId.slice(0, maxIdLength))}: its id is not up to ${maxIdLength} letters, digits, dots, underscores and hyphens`,
    'Choose another client id.',
  );
}
