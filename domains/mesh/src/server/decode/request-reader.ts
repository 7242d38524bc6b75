import type { DeltaDiscoveryRequest, DiscoveryRequest } from '../../xds/messages.ts';
import { type Decoded, decodeDeltaDiscoveryRequest, decodeDiscoveryRequest } from './decode-request.ts';

const maxEntries = 2_000;
const maxCharacters = 8 * 1024 * 1024;

/** A cache with long text keys, bounded by entries and by characters of keys; the oldest entries are evicted first. */
export class BoundedCache<Value> {
  readonly #values = new Map<string, Value>();
  #characters = 0;

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** The key must not exist yet. */
  add(key: string, value: Value): void {
    this.#values.set(key, value);
    this.#characters += key.length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= maxEntries && this.#characters <= maxCharacters) return;
      this.#values.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

/** Longer messages are not cached. */
const maxCachedBytes = 64 * 1024;

/**
 * Decodes requests, with a cache: after a change, thousands of clients acknowledge it with the same bytes. Requests
 * with equal lists of names share one list, so that they can be compared by identity.
 */
export class RequestReader {
  readonly #whole = new BoundedCache<Decoded<DiscoveryRequest>>();
  readonly #delta = new BoundedCache<Decoded<DeltaDiscoveryRequest>>();
  readonly #lists = new BoundedCache<readonly string[]>();

  /** Decodes a `DiscoveryRequest`. Throws `InvalidMessage` for any invalid bytes. */
  readWhole(message: Buffer): Decoded<DiscoveryRequest> {
    if (message.length > maxCachedBytes) return decodeDiscoveryRequest(message);
    return readOnce(message, this.#whole, () => this.#withSharedNames(decodeDiscoveryRequest(message)));
  }

  /** Decodes a `DeltaDiscoveryRequest`. Throws `InvalidMessage` for any invalid bytes. */
  readDelta(message: Buffer): Decoded<DeltaDiscoveryRequest> {
    if (message.length > maxCachedBytes) return decodeDeltaDiscoveryRequest(message);
    return readOnce(message, this.#delta, () => decodeDeltaDiscoveryRequest(message));
  }

  #withSharedNames({ request, ...rest }: Decoded<DiscoveryRequest>): Decoded<DiscoveryRequest> {
    const key = JSON.stringify(request.resourceNames);
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.add(key, request.resourceNames);
    return { request: known ? { ...request, resourceNames: known } : request, ...rest };
  }
}

/** Requests with a node are not cached: a client sends its node once. */
function readOnce<Request>(
  message: Buffer,
  recent: BoundedCache<Decoded<Request>>,
  read: () => Decoded<Request>,
): Decoded<Request> {
  const key = message.toString('latin1');
  const known = recent.get(key);
  if (known !== undefined) return known;
  const decoded = read();
  if (decoded.node === undefined) recent.add(key, decoded);
  return decoded;
}
