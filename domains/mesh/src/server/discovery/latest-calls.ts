import { ChandleryError } from '@chandlery/api';
import { proxySpiffeId } from '../../model/identity.ts';
import type { Proxy } from '../../ports.ts';
import type { Connection, OpenCall } from '../connections/connection.ts';

/** Who makes a call. */
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
 * Sees to it that a proxy is connected once: of two connections that make the same call the newer stays, for the older
 * one belongs to a proxy that is gone or about to go.
 */
export class LatestCalls {
  readonly #holders = new Map<string, Holder>();

  /** Takes over a method for a connection. The result gives it back. Proxies that have no id are not told apart. */
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
