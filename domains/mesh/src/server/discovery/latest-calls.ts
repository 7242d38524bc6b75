import { ChandleryError } from '@chandlery/api';
import { proxySpiffeId } from '../../model/identity.ts';
import type { Proxy } from '../../ports.ts';
import type { Connection, OpenCall } from '../connections/connection.ts';

/** A call of a proxy. */
interface Claim {
  readonly proxy: Proxy;
  readonly connection: Connection;
  readonly call: OpenCall;
}

interface Holder {
  readonly connection: Connection;
  readonly calls: Set<OpenCall>;
}

/**
 * Keeps one connection per proxy: of two connections with the same call the newer one stays, because the older one belongs
 * to a process that has ended or is about to.
 */
export class LatestCalls {
  readonly #holders = new Map<string, Holder>();

  /** Claims a method for a connection, until the returned function is called. Proxies without an id are not tracked. */
  claim(method: string, { proxy: { identity }, connection, call }: Claim): () => void {
    if (identity.proxyId === undefined) return () => undefined;
    const key = `${method} ${proxySpiffeId(identity)}`;
    const holder = this.#take(key, connection);
    holder.calls.add(call);
    return () => {
      holder.calls.delete(call);
      if (holder.calls.size === 0 && this.#holders.get(key) === holder) this.#holders.delete(key);
    };
  }

  #take(key: string, connection: Connection): Holder {
    const before = this.#holders.get(key);
    if (before?.connection === connection) return before;
    const holder = { connection, calls: new Set<OpenCall>() };
    this.#holders.set(key, holder);
    for (const call of before?.calls ?? []) call.end(connectedAgain(connection));
    return holder;
  }
}

const connectedAgain = ({ peer }: Connection): ChandleryError =>
  new ChandleryError('Aborted', `the same proxy has connected again from ${peer}`, {
    hint: 'If this is another proxy, give it an id and a certificate of its own',
  });
