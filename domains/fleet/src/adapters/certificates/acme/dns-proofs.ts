import { setTimeout as sleep } from 'node:timers/promises';
import { peerUnavailable } from '../../../port-errors.ts';
import type { DnsChange, DnsRecord, DnsZone } from '../../../ports.ts';

/**
 * Publishes the proofs of orders in a zone. Orders for the same host take turns: the proof of one would replace the
 * other's, or remove it before the ACME server has seen it.
 */
export class DnsProofs {
  readonly #zone: DnsZone;
  /** The last order that uses a name. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(zone: DnsZone) {
    this.#zone = zone;
  }

  /** Does work while the records are in the zone, and removes them. */
  async during<T>(records: readonly DnsRecord[], deadlineMs: number, work: () => Promise<T>): Promise<T> {
    const names = new Set(records.map(({ name }) => name));
    const earlier = [...names].map(name => this.#last.get(name) ?? Promise.resolve());
    const mine = Promise.allSettled(earlier).then(() => this.#publish(records, deadlineMs, work));
    for (const name of names) this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      for (const name of names) if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }

  async #publish<T>(records: readonly DnsRecord[], deadlineMs: number, work: () => Promise<T>): Promise<T> {
    try {
      const change = await this.#zone.upsert(records);
      await waitForChange(this.#zone, change, deadlineMs - performance.now());
      return await work();
    } finally {
      await this.#zone.remove(records);
    }
  }
}

const firstPauseMs = 250;
const maxPauseMs = 10_000;

/** Resolves when a change has reached every server of its zone. Rejects with `PeerUnavailable` after `timeoutMs`. */
async function waitForChange(zone: DnsZone, change: DnsChange, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let { done } = change;
  for (let pauseMs = firstPauseMs; !done; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    if (performance.now() + pauseMs > deadline)
      throw peerUnavailable(`the DNS change ${change.id} is not done after ${timeoutMs} ms`);
    await sleep(pauseMs);
    done = await zone.isDone(change.id);
  }
}
