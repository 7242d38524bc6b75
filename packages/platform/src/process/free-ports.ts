import { once } from 'node:events';
import { createServer } from 'node:net';
import { ChandleryError } from '@chandlery/api';

/** A port that something wants to listen on. */
export interface WantedPort {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** How the user chooses it, such as `--port`. */
  readonly flag: string;
}

/** Resolves when all ports can be had; rejects with `PortTaken`, `PortForbidden` or `HostUnknown` naming the first that cannot. */
export async function checkPortsFree(wanted: readonly WantedPort[]): Promise<void> {
  const fixed = wanted.filter(({ port }) => port !== 0);
  for (const [at, { port, flag }] of fixed.entries()) {
    const other = fixed.slice(0, at).find(earlier => earlier.port === port);
    if (other !== undefined) throw wantedTwice(port, other.flag, flag);
  }
  for (const port of fixed) await checkPortFree(port);
}

/** Resolves when the port can be had at this moment. Errors as for {@link checkPortsFree}. */
export async function checkPortFree({ host, port, flag }: WantedPort): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  } catch (cause) {
    throw listenError(cause, { host, port, flag });
  }
}

/** Says in people's words why listening failed; for servers that lost the race after the check, too. */
export function listenError(cause: unknown, { host, port, flag }: WantedPort): ChandleryError {
  const { code, message } = cause as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return portError('PortTaken', `port ${port} on ${host} is already in use`, flag, cause);
    case 'EACCES':
      return portError('PortForbidden', `this user may not listen on port ${port} of ${host}`, flag, cause);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ChandleryError('HostUnknown', `cannot listen on host ${host}: it is not an address of this machine`, {
        hint: 'Choose another one with --host.',
        cause,
      });
    default:
      return portError('PortUnusable', `cannot listen on port ${port} of ${host}: ${message}`, flag, cause);
  }
}

const portError = (code: string, message: string, flag: string, cause?: unknown): ChandleryError =>
  new ChandleryError(code, message, { hint: `Stop what uses it, or choose another one with ${flag}.`, cause });

const wantedTwice = (port: number, flag: string, other: string): ChandleryError =>
  new ChandleryError('PortTaken', `port ${port} is wanted by both ${flag} and ${other}`, {
    hint: `Choose another one with ${flag} or ${other}.`,
  });
