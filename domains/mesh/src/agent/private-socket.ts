import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { ChandleryError } from '@chandlery/api';

/** Maximum length of a Unix socket path on Linux, in bytes; other systems allow less. */
const maxSocketPathBytes = 107;

const ownerOnly = { folder: 0o700, socket: 0o600 } as const;
const othersMask = 0o077;

/**
 * Listens on a socket file that only its owner can access: mode 0600, in a folder of mode 0700, which is created if it
 * is missing. A stale file of a killed process is replaced. Throws `InvalidTunnel` for a folder that other users own or
 * can access and for a path that is too long, `PortInUse` when another process listens there.
 */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxSocketPathBytes)
    throw invalid(`the path of the socket ${path} is longer than ${maxSocketPathBytes} bytes`);
  preparePrivateFolder(dirname(path));
  await removeStaleSocket(path);
  server.listen({ path });
  await once(server, 'listening');
  // The mode of the folder has protected the socket until here.
  chmodSync(path, ownerOnly.socket);
}

function preparePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: ownerOnly.folder });
  const { mode, uid } = lstatSync(folder);
  const isOwn = uid === process.getuid?.();
  if (!isOwn || (mode & othersMask) !== 0)
    throw invalid(`others can enter the folder ${folder} of the socket: it must be ours, with mode 0700`);
}

async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw invalid(`${path} is not a socket`);
  if (await isServed(path))
    throw new ChandleryError('PortInUse', `another process listens on ${path}`, {
      hint: 'Stop it, or choose another path with --listen.',
    });
  rmSync(path, { force: true });
}

async function isServed(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const invalid = (message: string): ChandleryError =>
  new ChandleryError('InvalidTunnel', message, { hint: 'Choose another path with --listen unix:///PATH.' });
