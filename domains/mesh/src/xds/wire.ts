import type { EncodedResource } from '../model/resource.ts';

/** The fields of a `DiscoveryResponse`. */
export interface WholeResponse {
  readonly version: string;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: Iterable<EncodedResource>;
}

/** The fields of a `DeltaDiscoveryResponse`. */
export interface DeltaResponse extends WholeResponse {
  readonly removed: readonly string[];
}

/**
 * Encodes a `DiscoveryResponse` by concatenating resources that are already encoded.
 *
 * @param roomBytes left free before the message
 */
export function encodeWholeResponse({ version, typeUrl, nonce, resources }: WholeResponse, roomBytes = 0): Buffer {
  let size = textFieldSize(version) + textFieldSize(typeUrl) + textFieldSize(nonce);
  for (const { any } of resources) size += bytesFieldSize(any.length);
  const writer = new FieldWriter(size, roomBytes);
  writer.text(1, version);
  for (const { any } of resources) writer.bytes(2, any);
  writer.text(4, typeUrl);
  writer.text(5, nonce);
  return writer.buffer;
}

/**
 * Encodes a `DeltaDiscoveryResponse`, each resource with its own name and version.
 *
 * @param roomBytes left free before the message
 */
export function encodeDeltaResponse(response: DeltaResponse, roomBytes = 0): Buffer {
  const { version, typeUrl, nonce, resources, removed } = response;
  let size = textFieldSize(version) + textFieldSize(typeUrl) + textFieldSize(nonce);
  for (const resource of resources) size += bytesFieldSize(namedResourceSize(resource));
  for (const name of removed) size += bytesFieldSize(Buffer.byteLength(name));
  const writer = new FieldWriter(size, roomBytes);
  writer.text(1, version);
  for (const resource of resources) {
    writer.head(2, namedResourceSize(resource));
    writer.text(1, resource.version);
    writer.bytes(2, resource.any);
    writer.text(3, resource.name);
  }
  writer.text(4, typeUrl);
  writer.text(5, nonce);
  for (const name of removed) writer.bytes(6, Buffer.from(name));
  return writer.buffer;
}

const namedResourceSize = ({ name, version, any }: EncodedResource): number =>
  textFieldSize(version) + bytesFieldSize(any.length) + textFieldSize(name);

/** All fields have numbers below 16, so that a tag is one byte. */
const bytesFieldSize = (length: number): number => 1 + varintSize(length) + length;

/** An empty string is the default and left out. */
const textFieldSize = (text: string): number => (text === '' ? 0 : bytesFieldSize(Buffer.byteLength(text)));

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

const lengthDelimited = 2;

class FieldWriter {
  readonly buffer: Buffer;
  #offset: number;

  constructor(size: number, roomBytes: number) {
    this.buffer = Buffer.allocUnsafe(roomBytes + size);
    this.#offset = roomBytes;
  }

  head(field: number, length: number): void {
    this.buffer[this.#offset++] = (field << 3) | lengthDelimited;
    let rest = length;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.buffer[this.#offset++] = (rest % 0x80) | 0x80;
    this.buffer[this.#offset++] = rest;
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.head(field, bytes.length);
    this.buffer.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  text(field: number, text: string): void {
    if (text === '') return;
    this.head(field, Buffer.byteLength(text));
    this.#offset += this.buffer.write(text, this.#offset);
  }
}
