import { hash } from 'node:crypto';
import { type EncodedResource, type ResourceType, typeUrls } from '../model/resource.ts';
import { frameHeadBytes, writeFrameHead } from './frame-message.ts';
import type { StreamMode } from './messages.ts';
import { encodeDeltaResponse, encodeWholeResponse } from './wire.ts';

/** What a response tells, whoever gets it. */
export interface ResponseContent {
  readonly mode: StreamMode;
  readonly type: ResourceType;
  readonly version: string;
  /** In the order of names, so that equal content gives equal bytes. */
  readonly resources: ReadonlyMap<string, EncodedResource>;
  /** Names; only the incremental protocol has a word for them. */
  readonly removed: readonly string[];
}

/** A response as it goes over the wire, and the nonce in it. */
export interface Message {
  readonly nonce: string;
  /** As gRPC frames it. */
  readonly frame: Uint8Array;
}

/** A response that is encoded once for all streams that get exactly this. */
export class SharedResponse {
  readonly content: ResponseContent;
  readonly #message: Message;

  constructor(content: ResponseContent) {
    this.content = content;
    this.#message = encode(content, nonceOf(content));
  }

  get size(): number {
    return this.#message.frame.length;
  }

  /**
   * Nonces come from the content, so that all replicas write the same bytes. Only a stream that got this very response
   * last needs another one: otherwise a late answer to the first would pass for an answer to the second.
   */
  messageAfter(lastNonce: string | undefined): Message {
    if (lastNonce !== this.#message.nonce) return this.#message;
    return encode(this.content, `${this.#message.nonce}.again`);
  }
}

function encode(content: ResponseContent, nonce: string): Message {
  const { mode, version, removed } = content;
  const typeUrl = typeUrls[content.type];
  const resources = content.resources.values().toArray();
  const response = { version, typeUrl, nonce, resources, removed };
  const encodeResponse = mode === 'sotw' ? encodeWholeResponse : encodeDeltaResponse;
  return { nonce, frame: writeFrameHead(encodeResponse(response, frameHeadBytes)) };
}

function nonceOf({ type, version, resources, removed }: ResponseContent): string {
  const lines = [type, version];
  for (const resource of resources.values()) lines.push(`+${resource.name} ${resource.version}`);
  for (const name of removed) lines.push(`-${name}`);
  return hash('sha256', lines.join('\n')).slice(0, 16);
}

/** Responses of the pushes in progress, as many as fit into some memory; the oldest are dropped first. */
export class ResponseCache {
  readonly #maxBytes: number;
  readonly #responses = new Map<string, SharedResponse>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): SharedResponse | undefined {
    return this.#responses.get(key);
  }

  /** The key must not be there yet. */
  add(key: string, response: SharedResponse): void {
    this.#responses.set(key, response);
    this.#bytes += response.size;
    for (const [oldest, { size }] of this.#responses) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#responses.delete(oldest);
      this.#bytes -= size;
    }
  }

  clear(): void {
    this.#responses.clear();
    this.#bytes = 0;
  }
}
