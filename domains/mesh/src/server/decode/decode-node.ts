import type { JsonValue } from '@chandlery/api';
import { announceKey } from '../../endpoints/announced/read-announcements.ts';
import { certificateFolderKey } from '../connections/read-certificate-folder.ts';
import { portsKey } from '../connections/read-proxy-ports.ts';
import { decodeValue } from './decode-value.ts';
import type { WireReader } from './wire-reader.ts';

/** The node of a client, as far as the control plane uses it. Missing fields are empty. */
export interface DiscoveryNode {
  id: string;
  userAgentName: string;
  region: string;
  zone: string;
  /** Known metadata keys with text values. */
  metadata: { tenant?: string; cluster?: string; dialect?: string };
  /** The endpoints that it announces for its workload. */
  announcement?: JsonValue;
  /** The ports that it listens on. */
  ports?: JsonValue;
  /** The folder with its certificates. */
  certificateFolder?: JsonValue;
}

export const emptyNode = (): DiscoveryNode => ({ id: '', userAgentName: '', region: '', zone: '', metadata: {} });

/** Merges an encoded `Node` into a decoded one, because a message may repeat the field. */
export function decodeNode(reader: WireReader, node: DiscoveryNode): DiscoveryNode {
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) node.id = reader.string();
    else if (field === 3) decodeMetadata(reader.message(), node);
    else if (field === 4) decodeLocality(reader.message(), node);
    else if (field === 6) node.userAgentName = reader.string();
    else reader.skip();
  }
  return node;
}

function decodeLocality(reader: WireReader, node: DiscoveryNode): void {
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) node.region = reader.string();
    else if (field === 2) node.zone = reader.string();
    else reader.skip();
  }
}

/** The fields of a `google.protobuf.Struct`. */
function decodeMetadata(reader: WireReader, node: DiscoveryNode): void {
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) decodeMetadataEntry(reader.message(), node);
    else reader.skip();
  }
}

function decodeMetadataEntry(reader: WireReader, node: DiscoveryNode): void {
  let key = '';
  let value: WireReader | undefined;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) key = reader.string();
    else if (field === 2) value = reader.message();
    else reader.skip();
  }
  if (key === 'tenant' || key === 'cluster' || key === 'dialect') node.metadata[key] = value ? decodeText(value) : '';
  else if (key === announceKey && value) node.announcement = decodeValue(value);
  else if (key === portsKey && value) node.ports = decodeValue(value);
  else if (key === certificateFolderKey && value) node.certificateFolder = decodeValue(value);
}

/** A `google.protobuf.Value`; empty unless it is a string. */
function decodeText(reader: WireReader): string {
  const value = decodeValue(reader);
  return typeof value === 'string' ? value : '';
}
