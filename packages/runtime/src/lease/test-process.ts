import { setImmediate as nextTick } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { TestTime } from '../queue/test-timers.ts';
import type { LeaseTimingOptions } from './lease-timing.ts';

/** How a process is connected: `cut` loses requests, `deaf` loses answers, `slow` holds requests until it is healed. */
export type Link = 'fine' | 'cut' | 'deaf' | 'slow';

type LeaseClient = Pick<Client, 'get' | 'listAll' | 'create' | 'update' | 'delete'>;

/** A process of its own as far as time and network go: a clock that runs at its own speed, a link that breaks. */
export class TestProcess {
  link: Link = 'fine';
  readonly client: LeaseClient;
  readonly timing: LeaseTimingOptions;
  #busy = 0;
  #healed = Promise.withResolvers<void>();

  constructor(client: Client, time: TestTime, speed = 1) {
    this.client = {
      get: (ref, options) => this.#send(() => client.get(ref, options)),
      create: (ref, object, options) => this.#send(() => client.create(ref, object, options)),
      update: (ref, object, options) => this.#send(() => client.update(ref, object, options)),
      delete: (ref, options) => this.#send(() => client.delete(ref, options)),
      listAll: (ref, options) => this.#listAll(() => client.list(ref, options)),
    };
    this.timing = {
      clock: time.clock,
      monotonicMs: () => time.nowMs * speed,
      timers: { after: (delayMs, call) => time.after(delayMs / speed, call) },
      random: () => 0.5,
    };
  }

  heal(): void {
    this.link = 'fine';
    this.#healed.resolve();
    this.#healed = Promise.withResolvers();
  }

  /** Waits until no request is on its way, save those that are held. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#busy === 0 ? quiet + 1 : 0) await nextTick();
  }

  async *#listAll<T>(list: () => Promise<{ readonly items: readonly unknown[] }>): AsyncGenerator<T> {
    yield* (await this.#send(list)).items as T[];
  }

  async #send<T>(call: () => Promise<T>): Promise<T> {
    const link = this.link;
    if (link === 'cut') throw lost();
    if (link === 'slow') await this.#healed.promise;
    this.#busy += 1;
    try {
      const answer = await call();
      if (link === 'deaf') throw lost();
      return answer;
    } finally {
      this.#busy -= 1;
    }
  }
}

/** Advances time in small steps, and lets all processes act at each. */
export async function passTime(
  time: TestTime,
  ms: number,
  processes: readonly TestProcess[],
  check: () => void = () => undefined,
): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    time.advance(Math.min(500, left));
    check();
    for (const process of processes) await process.settled();
    check();
  }
}

const lost = (): ChandleryError => new ChandleryError('ConnectionFailed', 'the cable is cut');
