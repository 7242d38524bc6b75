import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

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

/** Finds several different free ports at once. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map(server => once(server, 'listening')));
  const ports = servers.map(server => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}
