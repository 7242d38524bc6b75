import { badRequest, type KubeObject, parseJson } from '@chandlery/api';
import type { ListResult, Served } from '@chandlery/kernel';
import { stringify } from 'yaml';
import { type Call, type ResourceCall, representation, warn } from './call.ts';
import { toPartialMetadata, toPartialMetadataList } from './table/partial-metadata.ts';
import { type IncludeObject, parseIncludeObject, renderTable } from './table/table.ts';

/** Answers with one object in the representation that the client prefers. */
export function sendObject(call: ResourceCall, code: number, served: Served): void {
  warnOfLosses(call, [served]);
  const { as, version } = representation(call, 'resource');
  switch (as) {
    case 'json':
      return sendBytes(call, code, served.bytes);
    case 'table':
      return sendJson(call, code, tableOf(call, [served.object], version));
    case 'partialMetadata':
      return sendJson(call, code, toPartialMetadata(served.object, version));
    case 'yaml':
    case 'aggregatedDiscovery':
      return sendYaml(call, code, served.object);
  }
}

/** Answers with a list; in JSON the stored bytes are strung together unread. */
export function sendList(call: ResourceCall, list: ListResult): void {
  warnOfLosses(call, list.items);
  const { as, version } = representation(call, 'resource');
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  };
  const objects = (): KubeObject[] => list.items.map(({ object }) => object);
  const { kind, version: own } = call.target.resource;
  const head = { kind: kind.listKind, apiVersion: own.apiVersion, metadata };
  switch (as) {
    case 'json':
      return sendBytes(call, 200, joinList(head, list.items));
    case 'table':
      return sendJson(call, 200, { ...tableOf(call, objects(), version), metadata });
    case 'partialMetadata':
      return sendJson(call, 200, toPartialMetadataList(objects(), metadata, version));
    case 'yaml':
    case 'aggregatedDiscovery':
      return sendYaml(call, 200, { ...head, items: objects() });
  }
}

/** Says once each what the requested version could not show. */
function warnOfLosses({ reply }: ResourceCall, items: readonly Served[]): void {
  const losses = new Set(items.flatMap(({ losses = [] }) => losses));
  for (const loss of [...losses].slice(0, maxLossWarnings)) warn(reply, loss);
}

const maxLossWarnings = 10;
const comma = Buffer.from(',');
const listEnd = Buffer.from(']}');

function joinList(head: object, items: readonly Served[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`)];
  items.forEach((item, index) => {
    if (index > 0) parts.push(comma);
    parts.push(item.bytes);
  });
  parts.push(listEnd);
  return Buffer.concat(parts);
}

const tableOf = (call: ResourceCall, items: readonly KubeObject[], tableVersion: string) =>
  renderTable({
    version: call.target.resource.version,
    items,
    includeObject: includeObjectOf(call.query),
    now: call.now,
    tableVersion,
  });

export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const include = parseIncludeObject(query.get('includeObject'));
  if (include === undefined)
    throw badRequest(`includeObject "${query.get('includeObject')}" is not known; use None, Metadata or Object`);
  return include;
}

export function sendJson(call: Pick<Call, 'reply' | 'query'>, code: number, content: object): void {
  sendBytes(call, code, Buffer.from(JSON.stringify(content)));
}

function sendBytes({ reply, query }: Pick<Call, 'reply' | 'query'>, code: number, bytes: Buffer): void {
  const pretty = query.get('pretty');
  const body = pretty === 'true' || pretty === '1' ? prettyPrint(bytes) : bytes;
  reply.code(code).header('content-type', 'application/json').send(body);
}

const prettyPrint = (bytes: Buffer): Buffer => Buffer.from(`${JSON.stringify(parseJson(bytes.toString()), null, 2)}\n`);

function sendYaml({ reply }: Call, code: number, content: object): void {
  reply
    .code(code)
    .header('content-type', 'application/yaml')
    .send(Buffer.from(stringify(content)));
}
