import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';

/** Blocks all writes after a given number, as when a process is killed. */
export class Fuse {
  #left: number;

  constructor(writes: number) {
    this.#left = writes;
  }

  get isBlown(): boolean {
    return this.#left < 0;
  }

  /** The client behind the fuse. Watches continue. */
  guard(client: Client): Client {
    return new Proxy(client, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          this.#count(String(property));
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
  }

  #count(method: string): void {
    if (['create', 'update', 'patch', 'delete'].includes(method)) this.#left -= 1;
    if (this.isBlown && method !== 'watch') throw new ChandleryError('ConnectionFailed', 'the fuse is blown');
  }
}
