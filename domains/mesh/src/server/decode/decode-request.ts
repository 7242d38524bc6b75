import { ChandleryError } from '@chandlery/api';
import type { DeltaDiscoveryRequest, DiscoveryRequest } from '../../xds/messages.ts';
import { type DiscoveryNode, decodeNode, emptyNode } from './decode-node.ts';
import { WireReader } from './wire-reader.ts';

/** A decoded request, and its node, which clients send in their first request only. */
export interface Decoded<Request> {
  readonly node?: DiscoveryNode;
  readonly request: Request;
}

/** Far above what a proxy subscribes to: a longer list is an error or an attack. */
const maxNames = 100_000;

/** Decodes a `DiscoveryRequest`. Throws `InvalidMessage` for any invalid bytes. */
export function decodeDiscoveryRequest(message: Uint8Array): Decoded<DiscoveryRequest> {
  const request: Mutable<DiscoveryRequest> = { versionInfo: '', resourceNames: [], typeUrl: '', responseNonce: '' };
  const names: string[] = [];
  let node: DiscoveryNode | undefined;
  const reader = new WireReader(message);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) request.versionInfo = reader.string();
    else if (field === 2) node = decodeNode(reader.message(), node ?? emptyNode());
    else if (field === 3) addName(names, reader.string());
    else if (field === 4) request.typeUrl = reader.string();
    else if (field === 5) request.responseNonce = reader.string();
    else if (field === 6) request.errorDetail = decodeStatus(reader.message());
    else reader.skip();
  }
  request.resourceNames = names;
  return node ? { node, request } : { request };
}

/** Decodes a `DeltaDiscoveryRequest`. Throws `InvalidMessage` for any invalid bytes. */
export function decodeDeltaDiscoveryRequest(message: Uint8Array): Decoded<DeltaDiscoveryRequest> {
  const [subscribe, unsubscribe, versions] = [[] as string[], [] as string[], new Map<string, string>()];
  const request: Mutable<DeltaDiscoveryRequest> = {
    typeUrl: '',
    resourceNamesSubscribe: subscribe,
    resourceNamesUnsubscribe: unsubscribe,
    initialResourceVersions: versions,
    responseNonce: '',
  };
  let node: DiscoveryNode | undefined;
  const reader = new WireReader(message);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) node = decodeNode(reader.message(), node ?? emptyNode());
    else if (field === 2) request.typeUrl = reader.string();
    else if (field === 3) addName(subscribe, reader.string());
    else if (field === 4) addName(unsubscribe, reader.string());
    else if (field === 5) addVersion(versions, reader.message());
    else if (field === 6) request.responseNonce = reader.string();
    else if (field === 7) request.errorDetail = decodeStatus(reader.message());
    else reader.skip();
  }
  return node ? { node, request } : { request };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A `google.rpc.Status`, without its details. */
function decodeStatus(reader: WireReader): { code: number; message: string } {
  const status = { code: 0, message: '' };
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) status.code = reader.int32();
    else if (field === 2) status.message = reader.string();
    else reader.skip();
  }
  return status;
}

function addName(names: string[], name: string): void {
  if (names.length >= maxNames) throw tooMany();
  names.push(name);
}

function addVersion(versions: Map<string, string>, entry: WireReader): void {
  if (versions.size >= maxNames) throw tooMany();
  let [name, version] = ['', ''];
  for (let field = entry.nextField(); field !== 0; field = entry.nextField()) {
    if (field === 1) name = entry.string();
    else if (field === 2) version = entry.string();
    else entry.skip();
  }
  versions.set(name, version);
}

const tooMany = (): ChandleryError =>
  new ChandleryError('InvalidMessage', `cannot read the message: it names more than ${maxNames} resources`);
