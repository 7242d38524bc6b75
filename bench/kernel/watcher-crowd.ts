import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { FanOutResult, LoadTarget } from './load-job.ts';
import { itemBody, watchedPath } from './workload.ts';

type Post = (path: string, body: string) => Promise<unknown>;

const newline = 0x0a;

/** Many watchers of one collection, each with a connection of its own, counting the lines they get. */
export class WatcherCrowd {
  readonly #target: LoadTarget;
  readonly #answers: IncomingMessage[] = [];
  #lines = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #onReached: () => void = () => undefined;
  #nextName = 0;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  /** Opens more watchers, a few handshakes at a time. */
  async open(count: number): Promise<number> {
    const { resourceVersion } = (await this.#getJson(`${watchedPath}?limit=1`)).metadata;
    const path = `${watchedPath}?watch=true&resourceVersion=${resourceVersion}`;
    let next = 0;
    const openSome = async (): Promise<void> => {
      while (next++ < count) this.#follow(await this.#open(path));
    };
    await Promise.all(Array.from({ length: 32 }, openSome));
    return this.#answers.length;
  }

  /** Changes one at a time for the latency, then all at once for the throughput. */
  async measure(changes: number, connections: number, post: Post): Promise<FanOutResult> {
    const lastDeliveryMs: number[] = [];
    for (let index = 0; index < Math.min(changes, 50); index++) lastDeliveryMs.push(await this.#time(1, 1, post));
    const burstMs = await this.#time(changes, connections, post);
    return { lastDeliveryMs, deliveriesPerSecond: (changes * this.#answers.length * 1000) / burstMs };
  }

  /** Milliseconds until every watcher has seen so many new objects. */
  async #time(changes: number, connections: number, post: Post): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wanted = this.#lines + changes * this.#answers.length;
    this.#onReached = resolve;
    const startedAt = performance.now();
    let left = changes;
    const work = async (): Promise<void> => {
      while (left-- > 0) await post(watchedPath, itemBody(`watched-${this.#nextName++}`, 'watched'));
    };
    await Promise.all(Array.from({ length: connections }, work));
    await promise;
    return performance.now() - startedAt;
  }

  #follow(answer: IncomingMessage): void {
    this.#answers.push(answer);
    answer.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.#lines++;
      if (this.#lines >= this.#wanted) this.#onReached();
    });
    answer.on('error', () => undefined);
  }

  #open(path: string): Promise<IncomingMessage> {
    const { url, token, ca } = this.#target;
    return new Promise((resolve, reject) => {
      const asked = request(`${url}${path}`, { ca, agent: false, headers: { authorization: `Bearer ${token}` } });
      asked.on('response', resolve).on('error', reject).end();
    });
  }

  async #getJson(path: string): Promise<{ metadata: { resourceVersion: string } }> {
    const chunks: Buffer[] = [];
    for await (const chunk of (await this.#open(path)) as AsyncIterable<Buffer>) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString()) as { metadata: { resourceVersion: string } };
  }
}
