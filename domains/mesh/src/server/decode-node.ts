import type { WireReader } from './wire-reader.ts';

/** What a client says of itself, as far as anybody here asks. What it leaves out is empty. */
export interface DiscoveryNode {
  id: string;
  userAgentName: string;
  region: string;
  zone: string;
  /** The texts in its metadata whose keys are known here. */
  metadata: { tenant?: string; cluster?: string; dialect?: string };
}

export const emptyNode = (): DiscoveryNode => ({ id: '', userAgentName: '', region: '', zone: '', metadata: {} });

/** Reads an encoded `Node` into what is known already: a message may come in parts. */
export function decodeNode(reader: WireReader, node: DiscoveryNode): DiscoveryNode {
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) node.id = reader.string();
    else if (field === 3) decodeMetadata(reader.message(), node.metadata);
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
function decodeMetadata(reader: WireReader, metadata: DiscoveryNode['metadata']): void {
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) decodeMetadataEntry(reader.message(), metadata);
    else reader.skip();
  }
}

function decodeMetadataEntry(reader: WireReader, metadata: DiscoveryNode['metadata']): void {
  let key = '';
  let value: string | undefined;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) key = reader.string();
    else if (field === 2) value = decodeText(reader.message());
    else reader.skip();
  }
  if (key === 'tenant' || key === 'cluster' || key === 'dialect') metadata[key] = value ?? '';
}

/** A `google.protobuf.Value`; empty unless it is a text. */
function decodeText(reader: WireReader): string {
  let text = '';
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 3) text = reader.string();
    else reader.skip();
  }
  return text;
}
