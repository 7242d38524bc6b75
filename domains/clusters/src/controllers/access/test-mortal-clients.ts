import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';

const writes = new Set<string | symbol>(['create', 'update', 'patch', 'delete']);

/** Clients of a process that is killed after some writes: later ones do not arrive. */
export class MortalClients {
  #left: number;
  readonly #death = Promise.withResolvers<'died'>();
  readonly #wrapped = new Map<Client, Client>();

  constructor(lifeInWrites: number) {
    this.#left = lifeInWrites;
  }

  /** Resolves with the first write that did not arrive. */
  get death(): Promise<'died'> {
    return this.#death.promise;
  }

  readonly wrap = (client: Client): Client => {
    const known = this.#wrapped.get(client) ?? this.#mortal(client);
    this.#wrapped.set(client, known);
    return known;
  };

  #mortal(client: Client): Client {
    return new Proxy(client, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        const call = member.bind(target) as (...args: unknown[]) => unknown;
        return writes.has(name) ? (...args: unknown[]) => this.#write(call, args) : call;
      },
    });
  }

  async #write(call: (...args: unknown[]) => unknown, args: unknown[]): Promise<unknown> {
    this.#left -= 1;
    if (this.#left >= 0) return call(...args);
    this.#death.resolve('died');
    throw new ChandleryError('ConnectionFailed', 'the process is dead');
  }
}
