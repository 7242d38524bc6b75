import { hash } from 'node:crypto';
import { type EncodedResource, type ResourceType, typeUrls } from '../model/resource.ts';
import { frameHeadBytes, writeFrameHead } from './frame-message.ts';
import type { StreamMode } from './messages.ts';
import { encodeDeltaResponse, encodeWholeResponse } from './wire.ts';

/** The content of a response, independent of its receivers. */
export interface ResponseContent {
  readonly mode: StreamMode;
  readonly type: ResourceType;
  readonly version: string;
  /** Sorted by name, so that equal content has equal bytes. */
  readonly resources: ReadonlyMap<string, EncodedResource>;
  /** Names of removed resources; empty in the state-of-the-world protocol. */
  readonly removed: readonly string[];
}

/** An encoded response with its nonce. */
export interface Message {
  readonly nonce: string;
  /** The gRPC frame. */
  readonly frame: Uint8Array;
}

/** A response that is encoded once for all streams that get it. */
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
   * Nonces are derived from the content, so that replicas send the same bytes. A stream whose last response was the
   * same one needs another nonce: otherwise a late ACK of the first would acknowledge the second.
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

/** Responses of the pushes in progress, bounded by bytes; the oldest are evicted first. */
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

  /** The key must not exist yet. */
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
