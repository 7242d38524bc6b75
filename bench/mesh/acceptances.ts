import { ChandleryError } from '@chandlery/api';
import { WireReader } from '../../domains/mesh/src/server/decode/wire-reader.ts';
import { encodeDeltaRequest, encodeRequest } from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import { frameHeadBytes, writeFrameHead } from '../../domains/mesh/src/xds/frame-message.ts';
import type { StreamMode } from '../../domains/mesh/src/xds/messages.ts';

/** What streams with the same subscription have in common. */
export interface SameSubscription {
  readonly mode: StreamMode;
  readonly typeUrl: string;
  readonly names: readonly string[];
}

/** Identifies an ACK: bytes of the response that are copied without decoding. */
interface ResponseHead {
  readonly version: Buffer;
  readonly nonce: Buffer;
}

const nothing = Buffer.alloc(0);
/** The numbers of the fields. The incremental protocol does not repeat versions. */
const versionField = 1;
const nonceFields: Readonly<Record<StreamMode, number>> = { sotw: 5, delta: 6 };

/** Encodes the ACKs of clients. Constant parts are encoded once, because the server is to be measured. */
export class Acceptances {
  readonly #mode: StreamMode;
  /** The fields between version and nonce. */
  readonly #same: Buffer;

  constructor({ mode, typeUrl, names }: SameSubscription) {
    this.#mode = mode;
    this.#same = mode === 'delta' ? encodeDeltaRequest({ typeUrl }) : encodeRequest({ typeUrl, names });
  }

  /** The framed request that acknowledges a response. */
  of(response: Buffer): Buffer {
    const head = readHead(response);
    const version = this.#mode === 'delta' ? nothing : head.version;
    const nonceStart = frameHeadBytes + fieldSize(version) + this.#same.length;
    const frame = Buffer.allocUnsafe(nonceStart + fieldSize(head.nonce));
    writeField(frame, frameHeadBytes, { number: versionField, value: version });
    frame.set(this.#same, nonceStart - this.#same.length);
    writeField(frame, nonceStart, { number: nonceFields[this.#mode], value: head.nonce });
    return writeFrameHead(frame);
  }
}

/** The two used fields have the same numbers in responses of both protocols. */
function readHead(response: Buffer): ResponseHead {
  let version: Buffer = nothing;
  let nonce: Buffer = nothing;
  const reader = new WireReader(response);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) version = reader.bytes();
    else if (field === 5) nonce = reader.bytes();
    else reader.skip();
  }
  return { version, nonce };
}

/** An empty string is the default and left out. */
const fieldSize = (value: Buffer): number => (value.length === 0 ? 0 : 2 + value.length);

function writeField(frame: Buffer, start: number, { number, value }: { number: number; value: Buffer }): void {
  if (value.length === 0) return;
  if (value.length > 127) throw new ChandleryError('TooLong', 'a version or nonce has more than 127 bytes');
  frame[start] = (number << 3) | 2;
  frame[start + 1] = value.length;
  frame.set(value, start + 2);
}
