import type protobuf from 'protobufjs';
import { WireReader } from '../server/decode/wire-reader.ts';

/** The node of a client. */
export interface TestNode {
  readonly id: string;
  readonly userAgentName?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly zone?: string;
}

/** A request of the state-of-the-world protocol. Missing fields are empty. */
export interface TestRequest {
  readonly node?: TestNode;
  readonly typeUrl?: string;
  readonly names?: readonly string[];
  readonly version?: string;
  readonly nonce?: string;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A request of the incremental protocol. Missing fields are empty. */
export interface TestDeltaRequest {
  readonly node?: TestNode;
  readonly typeUrl?: string;
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly initialVersions?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A received resource. */
export interface ReceivedResource {
  readonly name: string;
  readonly typeUrl: string;
  /** Version of the resource; only in incremental responses. */
  readonly version?: string;
  /** The encoded message inside the `Any`. */
  readonly value: Buffer;
}

/** A response of either protocol. */
export interface ReceivedResponse {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly resources: readonly ReceivedResource[];
  /** Only in incremental responses. */
  readonly removed: readonly string[];
}

type Part = Buffer | undefined;

export const encodeRequest = (request: TestRequest): Buffer =>
  join([
    text(1, request.version),
    request.node && bytes(2, encodeNode(request.node)),
    ...(request.names ?? []).map(name => bytes(3, Buffer.from(name))),
    text(4, request.typeUrl),
    text(5, request.nonce),
    request.error && bytes(6, encodeError(request.error)),
  ]);

export const encodeDeltaRequest = (request: TestDeltaRequest): Buffer =>
  join([
    request.node && bytes(1, encodeNode(request.node)),
    text(2, request.typeUrl),
    ...(request.subscribe ?? []).map(name => bytes(3, Buffer.from(name))),
    ...(request.unsubscribe ?? []).map(name => bytes(4, Buffer.from(name))),
    ...Object.entries(request.initialVersions ?? {}).map(([name, version]) =>
      bytes(5, join([text(1, name), text(2, version)])),
    ),
    text(6, request.nonce),
    request.error && bytes(7, encodeError(request.error)),
  ]);

export const encodeNode = ({ id, userAgentName, metadata = {}, region, zone }: TestNode): Buffer =>
  join([
    text(1, id),
    bytes(3, encodeStruct(metadata)),
    bytes(4, join([text(1, region), text(2, zone)])),
    text(6, userAgentName),
  ]);

const encodeStruct = (values: Readonly<Record<string, string>>): Buffer =>
  join(Object.entries(values).map(([key, value]) => bytes(1, join([text(1, key), bytes(2, join([text(3, value)]))]))));

const encodeError = ({ code, message }: { code: number; message: string }): Buffer =>
  join([Buffer.from([1 << 3]), varint(code), text(2, message)]);

const join = (parts: readonly Part[]): Buffer => Buffer.concat(parts.filter(part => part !== undefined));

const text = (field: number, value = ''): Part => (value === '' ? undefined : bytes(field, Buffer.from(value)));

const bytes = (field: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(field << 3) | 2]), varint(value.length), value]);

function varint(value: number): Buffer {
  const groups: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...groups, rest]);
    groups.push((rest % 128) | 128);
  }
}

export function decodeResponse(message: Uint8Array): ReceivedResponse {
  const response = { typeUrl: '', version: '', nonce: '', resources: [] as ReceivedResource[], removed: [] };
  const reader = new WireReader(message);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) response.version = reader.string();
    else if (field === 2) response.resources.push(decodeAny(reader.message()));
    else if (field === 4) response.typeUrl = reader.string();
    else if (field === 5) response.nonce = reader.string();
    else reader.skip();
  }
  return response;
}

export function decodeDeltaResponse(message: Uint8Array): ReceivedResponse {
  const response = {
    typeUrl: '',
    version: '',
    nonce: '',
    resources: [] as ReceivedResource[],
    removed: [] as string[],
  };
  const reader = new WireReader(message);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) response.version = reader.string();
    else if (field === 2) response.resources.push(decodeWrapped(reader.message()));
    else if (field === 4) response.typeUrl = reader.string();
    else if (field === 5) response.nonce = reader.string();
    else if (field === 6) response.removed.push(reader.string());
    else reader.skip();
  }
  return response;
}

function decodeWrapped(reader: WireReader): ReceivedResource {
  let [name, version] = ['', ''];
  let inner = decodeAny(new WireReader(Buffer.alloc(0)));
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) version = reader.string();
    else if (field === 2) inner = decodeAny(reader.message());
    else if (field === 3) name = reader.string();
    else reader.skip();
  }
  return { ...inner, name, version };
}

function decodeAny(reader: WireReader): ReceivedResource {
  let typeUrl = '';
  let value: Buffer = Buffer.alloc(0);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) typeUrl = reader.string();
    else if (field === 2) value = reader.bytes();
    else reader.skip();
  }
  return { name: nameOf(value), typeUrl, value };
}

/** All resource types have their name in the first field. A message that does not begin with a string has no name. */
function nameOf(value: Buffer): string {
  if (value[0] !== 0x0a) return '';
  const reader = new WireReader(value);
  return reader.nextField() === 1 ? reader.string() : '';
}

/** The fields of a resource, by their names in the `.proto` file. */
export function decodeResource({ typeUrl, value }: ReceivedResource, root: protobuf.Root): Record<string, unknown> {
  const type = root.lookupType(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  return type.toObject(type.decode(value), { longs: Number, enums: String });
}
