import { setTimeout as sleep } from 'node:timers/promises';
import { peerUnavailable } from '../../port-errors.ts';
import type { DnsChange, DnsZone } from '../../ports.ts';

const firstPauseMs = 250;
const maxPauseMs = 10_000;

/** Resolves when a change has reached every server of its zone. Rejects with `PeerUnavailable` after `timeoutMs`. */
export async function waitForChange(zone: DnsZone, change: DnsChange, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let { done } = change;
  for (let pauseMs = firstPauseMs; !done; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    if (performance.now() + pauseMs > deadline)
      throw peerUnavailable(`the DNS change ${change.id} is not done after ${timeoutMs} ms`);
    await sleep(pauseMs);
    done = await zone.isDone(change.id);
  }
}
