import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Finds a free TCP port of 127.0.0.1.
 *
 * Prefer port 0 where the server can report its port afterwards: between this call and its use another process may
 * take the port.
 */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}

/** Ports below those that systems give to outgoing connections, one of which could take a port before it is used. */
const range = { first: 20_000, end: 32_000 };

/** Finds several different free ports at once. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Map<number, Server>();
  while (found.size < count) {
    const port = randomInt(range.first, range.end);
    const server = found.has(port) ? undefined : await tryListen(port);
    if (server !== undefined) found.set(port, server);
  }
  await Promise.all([...found.values()].map(server => new Promise(resolve => server.close(resolve))));
  return [...found.keys()];
}

/** Undefined when the port is taken. */
async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
