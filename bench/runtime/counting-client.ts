import type { Client } from '@chandlery/client';

/** Counts what a controller and its informer ask of a client. */
export class CountingClient {
  readonly client: Client;
  requests = 0;
  writes = 0;

  constructor(server: Client) {
    const ask = <T>(answer: T): T => {
      this.requests += 1;
      return answer;
    };
    const write = <T>(answer: T): T => {
      this.writes += 1;
      return ask(answer);
    };
    this.client = {
      get: (ref, options) => ask(server.get(ref, options)),
      list: (ref, options) => ask(server.list(ref, options)),
      listAll: (ref, options) => ask(server.listAll(ref, options)),
      watch: (ref, options) => ask(server.watch(ref, options)),
      create: (ref, object, options) => write(server.create(ref, object, options)),
      update: (ref, object, options) => write(server.update(ref, object, options)),
      patch: (ref, patch, options) => write(server.patch(ref, patch, options)),
      delete: (ref, options) => write(server.delete(ref, options)),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }
}
