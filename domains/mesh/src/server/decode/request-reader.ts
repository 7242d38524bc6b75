import type { DeltaDiscoveryRequest, DiscoveryRequest } from '../../xds/messages.ts';
import { type Decoded, decodeDeltaDiscoveryRequest, decodeDiscoveryRequest } from './decode-request.ts';

const maxEntries = 2_000;
const maxCharacters = 8 * 1024 * 1024;

/** Remembers values by long texts, as many as fit; the oldest are forgotten first. */
export class BoundedCache<Value> {
  readonly #values = new Map<string, Value>();
  #characters = 0;

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** The key must not be there yet. */
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

/** Longer messages are read each by itself. */
const maxCachedBytes = 64 * 1024;

/**
 * Reads requests. What was read lately is not read again: after a change thousands of clients accept it with the same
 * bytes. Requests that name the same resources in the same order share the list of names, so that they are known to be
 * equal without a look at them.
 */
export class RequestReader {
  readonly #whole = new BoundedCache<Decoded<DiscoveryRequest>>();
  readonly #delta = new BoundedCache<Decoded<DeltaDiscoveryRequest>>();
  readonly #lists = new BoundedCache<readonly string[]>();

  /** Reads a `DiscoveryRequest`. Throws `InvalidMessage`, whatever the bytes are. */
  readWhole(message: Buffer): Decoded<DiscoveryRequest> {
    if (message.length > maxCachedBytes) return decodeDiscoveryRequest(message);
    return readOnce(message, this.#whole, () => this.#withSharedNames(decodeDiscoveryRequest(message)));
  }

  /** Reads a `DeltaDiscoveryRequest`. Throws `InvalidMessage`, whatever the bytes are. */
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

/** Who a client is, it says once: such a request is not kept. */
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
