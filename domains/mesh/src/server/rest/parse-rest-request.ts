import { ChandleryError, type JsonValue } from '@chandlery/api';
import type { DiscoveryRequest } from '../../xds/messages.ts';
import { certificateFolderKey } from '../connections/read-certificate-folder.ts';
import { type DiscoveryNode, emptyNode } from '../decode/decode-node.ts';
import type { Decoded } from '../decode/decode-request.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Parses a `DiscoveryRequest` in JSON, with field names in snake_case or lowerCamelCase. Throws `InvalidMessage`. */
export function parseRestRequest(body: Buffer | undefined): Decoded<DiscoveryRequest> {
  const fields = asFields(parse(body), 'the body');
  const node = get(fields, 'node');
  const request = {
    versionInfo: text(fields, 'version_info'),
    resourceNames: texts(fields, 'resource_names'),
    typeUrl: text(fields, 'type_url'),
    responseNonce: text(fields, 'response_nonce'),
  };
  return node === undefined ? { request } : { request, node: parseNode(asFields(node, 'node')) };
}

function parse(body: Buffer | undefined): unknown {
  if (!body || body.length === 0) throw invalid('it has no body');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw invalid('its body is not JSON', cause);
  }
}

function parseNode(fields: Fields): DiscoveryNode {
  const locality = asFields(get(fields, 'locality') ?? {}, 'node.locality');
  const metadata = asFields(get(fields, 'metadata') ?? {}, 'node.metadata');
  const node = emptyNode();
  for (const key of ['tenant', 'cluster', 'dialect'] as const) {
    const value = metadata[key];
    if (value !== undefined) node.metadata[key] = typeof value === 'string' ? value : '';
  }
  const folder = metadata[certificateFolderKey] as JsonValue | undefined;
  return {
    ...node,
    ...(folder === undefined ? {} : { certificateFolder: folder }),
    id: text(fields, 'id'),
    userAgentName: text(fields, 'user_agent_name'),
    region: text(locality, 'region'),
    zone: text(locality, 'zone'),
  };
}

const get = (fields: Fields, name: string): unknown => fields[name] ?? fields[camelCase(name)] ?? undefined;

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

function text(fields: Fields, name: string): string {
  const value = get(fields, name) ?? '';
  if (typeof value !== 'string') throw invalid(`${name} is not a text`);
  return value;
}

function texts(fields: Fields, name: string): readonly string[] {
  const values = get(fields, name) ?? [];
  const isList = Array.isArray(values) && values.every(value => typeof value === 'string');
  if (!isList) throw invalid(`${name} is not a list of texts`);
  return values;
}

function asFields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${what} is not an object`);
  return value as Fields;
}

const invalid = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('InvalidMessage', `cannot read the request: ${why}`, {
    hint: 'Send a DiscoveryRequest of xDS v3 as JSON',
    cause,
  });
