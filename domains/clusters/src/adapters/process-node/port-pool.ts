import { createServer } from 'node:net';

const localhost = '127.0.0.1';

/** Assigns free ports of this machine; none is assigned twice before it is released. */
export class PortPool {
  readonly #taken = new Set<number>();

  /** Returns a free port: the preferred one if it is free. */
  async take(preferred?: number): Promise<number> {
    if (preferred !== undefined && !this.#taken.has(preferred)) {
      this.#taken.add(preferred);
      if (await isFree(preferred)) return preferred;
      this.#taken.delete(preferred);
    }
    for (;;) {
      const port = await listen(0);
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
  }

  release(port: number): void {
    this.#taken.delete(port);
  }
}

/** Whether no process listens on the port now. */
export const isFree = (port: number): Promise<boolean> =>
  listen(port).then(
    () => true,
    () => false,
  );

/** Listens briefly and returns the port. */
function listen(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: localhost, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
