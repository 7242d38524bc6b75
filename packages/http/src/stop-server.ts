import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';

/** How often connections that have become idle are closed while a server drains. */
const sweepMs = 50;

/** Stops accepting, waits up to `graceMs` for answers under way, then cuts what is left. */
export async function stopServer(server: Server | SecureServer, graceMs: number): Promise<void> {
  const stopped = new Promise<void>(resolve => server.close(() => resolve()));
  // An answer begun before the drain keeps its connection alive; Node closes only those that are idle when asked.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await stopped;
  clearInterval(sweep);
  clearTimeout(cut);
}
