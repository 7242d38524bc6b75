import { WireReader } from '../../domains/mesh/src/server/wire-reader.ts';
import { encodeDeltaRequest, encodeRequest } from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import { frameMessage } from '../../domains/mesh/src/xds/frame-message.ts';
import type { StreamMode } from '../../domains/mesh/src/xds/messages.ts';

/** What streams with the same subscription have in common. */
export interface SameSubscription {
  readonly mode: StreamMode;
  readonly typeUrl: string;
  readonly names: readonly string[];
}

const mostKept = 1000;

/** How clients accept responses. Made once for all that accept the same: it is the server that is to be measured. */
export class Acceptances {
  readonly #subscription: SameSubscription;
  readonly #frames = new Map<string, Buffer>();

  constructor(subscription: SameSubscription) {
    this.#subscription = subscription;
  }

  /** The request that accepts a response, as gRPC frames it. */
  of(response: Buffer): Buffer {
    const { version, nonce } = readHead(response);
    const key = `${version} ${nonce}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const frame = frameMessage(this.#encode(version, nonce));
    if (this.#frames.size >= mostKept) this.#frames.clear();
    this.#frames.set(key, frame);
    return frame;
  }

  #encode(version: string, nonce: string): Buffer {
    const { mode, typeUrl, names } = this.#subscription;
    return mode === 'delta'
      ? encodeDeltaRequest({ typeUrl, nonce })
      : encodeRequest({ typeUrl, names, version, nonce });
  }
}

/** The two fields that matter have the same numbers in responses of both kinds. */
function readHead(response: Buffer): { version: string; nonce: string } {
  const head = { version: '', nonce: '' };
  const reader = new WireReader(response);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) head.version = reader.string();
    else if (field === 5) head.nonce = reader.string();
    else reader.skip();
  }
  return head;
}
