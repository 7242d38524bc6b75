import { apiError, badRequest, type JsonObject, type ProtobufMessage } from '@chandlery/api';
import { decodeMessage } from './message-decoder.ts';
import { WireReader } from './wire-reader.ts';

/** The content type of bodies that this module reads. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** Finds a kind's layout; undefined when the kind is unknown or cannot be sent as protobuf. */
export type FindProtobuf = (apiVersion: string, kind: string) => ProtobufMessage | undefined;

// "k8s" and a zero byte stand before every body.
const magic: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** The message around every object: what it is, and its bytes. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

const typeMeta: ProtobufMessage = {
  apiVersion: { number: 1, type: 'string', keepsZero: true },
  kind: { number: 2, type: 'string', keepsZero: true },
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function readEnvelope(bytes: Uint8Array): Envelope {
  const reader = new WireReader(bytes);
  let type: JsonObject = {};
  let raw: Uint8Array = new Uint8Array();
  let encoding = '';
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.readTag();
    if (number === 1) type = decodeMessage(reader.readBytes(), typeMeta);
    else if (number === 2) raw = reader.readBytes();
    else if (number === 3) encoding = reader.readText();
    else reader.skip(wireType);
  }
  if (encoding !== '') throw badRequest(`the protobuf body is encoded as "${encoding}", which is not supported`);
  return { apiVersion: textOf(type['apiVersion']), kind: textOf(type['kind']), raw };
}

/**
 * Decodes the body of a request into the JSON object that it stands for.
 *
 * Throws `BadRequest` for anything that is not a well-formed body, and `UnsupportedMediaType` for a kind whose layout
 * is not known, after which clients send JSON.
 */
export function decodeProtobuf(body: Uint8Array, messageOf: FindProtobuf): JsonObject {
  if (magic.some((byte, index) => body[index] !== byte)) {
    throw badRequest('the protobuf body does not begin with the four bytes that Kubernetes clients send');
  }
  const { apiVersion, kind, raw } = readEnvelope(body.subarray(magic.length));
  const message = messageOf(apiVersion, kind);
  if (message === undefined) {
    throw apiError('UnsupportedMediaType', `${kind} in version "${apiVersion}" cannot be sent as protobuf: send JSON`);
  }
  return { apiVersion, kind, ...decodeMessage(raw, message) };
}
