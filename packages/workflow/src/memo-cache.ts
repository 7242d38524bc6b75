import type { Outputs } from './document/parameters.ts';
import type { MemoGetAction, MemoPutAction } from './engine/actions.ts';

/** Outputs of nodes by cache and key, in memory. */
export class MemoCache {
  readonly #entries = new Map<string, { readonly outputs: Outputs; readonly storedAt: number }>();

  get({ cache, key, maxAgeMs = Number.POSITIVE_INFINITY }: MemoGetAction, now: number): Outputs | undefined {
    const entry = this.#entries.get(JSON.stringify([cache, key]));
    return entry === undefined || now - entry.storedAt > maxAgeMs ? undefined : entry.outputs;
  }

  put({ cache, key, outputs }: MemoPutAction, now: number): void {
    this.#entries.set(JSON.stringify([cache, key]), { outputs: outputs ?? {}, storedAt: now });
  }
}
