import type { StreamMode } from './messages.ts';
import type { NameSet } from './name-index.ts';
import type { SharedResponse } from './response.ts';
import type { TypeSubscription } from './type-subscription.ts';

/** A response, and what it depends on besides the subscribed names. */
interface CachedResponse {
  readonly mode: StreamMode;
  readonly generation: number;
  readonly dirty: TypeSubscription['dirty'];
  readonly lastSent: TypeSubscription['lastSent'];
  readonly response: SharedResponse;
}

/**
 * Caches the responses of one batch of a push, in which views do not change. Most streams of a batch have the same
 * subscription and the same state, and get the same response without computing it again.
 */
export class PushBatchCache {
  readonly #responses = new Map<NameSet<unknown>, CachedResponse>();

  /** @param generation of the subscription's type in its view */
  find(
    { names, forced, clientVersions, dirty, lastSent }: TypeSubscription,
    mode: StreamMode,
    generation: number,
  ): SharedResponse | undefined {
    const cached = names && this.#responses.get(names);
    if (cached === undefined || forced !== undefined || clientVersions !== undefined) return undefined;
    const isSame =
      cached.dirty === dirty &&
      cached.lastSent === lastSent &&
      cached.mode === mode &&
      cached.generation === generation;
    return isSame ? cached.response : undefined;
  }

  /** To be called with the state of the subscription before the response. */
  add(
    { names, forced, clientVersions, dirty, lastSent }: TypeSubscription,
    cached: Pick<CachedResponse, 'mode' | 'generation' | 'response'>,
  ): void {
    if (names !== undefined && forced === undefined && clientVersions === undefined)
      this.#responses.set(names, { ...cached, dirty, lastSent });
  }
}
