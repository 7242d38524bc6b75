import { Buffer } from 'node:buffer';
import { badRequest, type JsonValue, type ProtobufType, parseJson } from '@chandlery/api';
import { WireReader, wireTypes } from './wire-reader.ts';

/** The types that are not messages of their own. */
export type ScalarType = Extract<ProtobufType, string>;

interface Scalar {
  readonly wireType: number;
  /** Undefined for what counts as absent, whether or not the field keeps zeros. */
  readonly read: (reader: WireReader) => JsonValue | undefined;
}

/** Collects the fields of a small fixed message: calls back with each one's number. */
function eachField(bytes: Uint8Array, visit: (number: number, reader: WireReader) => boolean): void {
  const reader = new WireReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.readTag();
    if (!visit(number, reader)) reader.skip(wireType);
  }
}

interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

function readInstant(reader: WireReader): Instant {
  let seconds = 0;
  let nanos = 0;
  eachField(reader.readBytes(), (number, fields) => {
    if (number === 1) seconds = fields.readInteger();
    else if (number === 2) nanos = fields.readInteger();
    else return false;
    return true;
  });
  return { seconds, nanos };
}

// Go's zero time, year 1, is how Kubernetes says "never" in a message that is not empty.
const ZERO_TIME_SECONDS = -62_135_596_800;

function wholeSeconds({ seconds, nanos }: Instant): string | undefined {
  if ((seconds === 0 && nanos === 0) || seconds === ZERO_TIME_SECONDS) return undefined;
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) throw badRequest('the protobuf body is malformed: a time is out of range');
  return time.toISOString().slice(0, -'.000Z'.length);
}

function readTime(reader: WireReader): string | undefined {
  const text = wholeSeconds(readInstant(reader));
  return text === undefined ? undefined : `${text}Z`;
}

function readMicroTime(reader: WireReader): string | undefined {
  const instant = readInstant(reader);
  const text = wholeSeconds(instant);
  const micros = Math.trunc(instant.nanos / 1000);
  return text === undefined ? undefined : `${text}.${String(micros).padStart(6, '0')}Z`;
}

function readQuantity(reader: WireReader): string {
  let text = '';
  eachField(reader.readBytes(), (number, fields) => {
    if (number !== 1) return false;
    text = fields.readText();
    return true;
  });
  return text === '' ? '0' : text;
}

function readIntOrString(reader: WireReader): number | string {
  let isText = false;
  let integer = 0;
  let text = '';
  eachField(reader.readBytes(), (number, fields) => {
    if (number === 1) isText = fields.readInteger() === 1;
    else if (number === 2) integer = fields.readInteger();
    else if (number === 3) text = fields.readText();
    else return false;
    return true;
  });
  return isText ? text : integer;
}

function readJson(reader: WireReader): JsonValue | undefined {
  let raw = '';
  eachField(reader.readBytes(), (number, fields) => {
    if (number !== 1) return false;
    raw = fields.readText();
    return true;
  });
  if (raw === '') return undefined;
  try {
    return parseJson(raw) as JsonValue;
  } catch (cause) {
    throw badRequest(`the protobuf body is malformed: it holds JSON that cannot be read: ${String(cause)}`);
  }
}

function readStringList(reader: WireReader): JsonValue {
  const items: string[] = [];
  eachField(reader.readBytes(), (number, fields) => {
    if (number !== 1) return false;
    items.push(fields.readText());
    return true;
  });
  return items;
}

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** How each scalar is read. */
export const scalars: Readonly<Record<ScalarType, Scalar>> = {
  string: { wireType: wireTypes.bytes, read: reader => reader.readText() },
  bool: { wireType: wireTypes.varint, read: reader => reader.readBool() },
  int: { wireType: wireTypes.varint, read: reader => reader.readInt64() },
  double: { wireType: wireTypes.fixed64, read: reader => reader.readDouble() },
  bytes: { wireType: wireTypes.bytes, read: reader => toBase64(reader.readBytes()) },
  time: { wireType: wireTypes.bytes, read: readTime },
  microTime: { wireType: wireTypes.bytes, read: readMicroTime },
  quantity: { wireType: wireTypes.bytes, read: readQuantity },
  intOrString: { wireType: wireTypes.bytes, read: readIntOrString },
  json: { wireType: wireTypes.bytes, read: readJson },
  stringList: { wireType: wireTypes.bytes, read: readStringList },
};

/** What a plain field holds when nothing was said. */
export const isZero = (value: JsonValue): boolean => value === '' || value === 0 || value === false;
