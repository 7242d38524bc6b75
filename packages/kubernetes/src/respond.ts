import { type KubeObject, parseJson } from '@chandlery/api';
import type { OpenList, Served } from '@chandlery/kernel';
import { Pace } from '@chandlery/platform';
import { type Call, type ResourceCall, representation, warn } from './call.ts';
import { type ListEncoder, listEncoder } from './list-encoder.ts';
import { includeObjectOf, isPretty } from './representation-options.ts';
import type { ListMeta } from './table/list-meta.ts';
import { toPartialMetadata } from './table/partial-metadata.ts';
import { renderTable } from './table/table.ts';
import { jsonToYaml } from './yaml/json-to-yaml.ts';

/** Responds with one object in the representation that the client prefers. */
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
      return sendYaml(call, code, served.bytes);
  }
}

/**
 * Responds with a list: at once when all of it is there, otherwise piece by piece as the client reads it. `more`: added to
 * its metadata.
 */
export async function sendList(call: ResourceCall, list: OpenList, more: ListMeta = {}): Promise<void> {
  warnOfLosses(call, list.items);
  const encoder = listEncoder(call, {
    resourceVersion: String(list.revision),
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
    ...more,
  });
  call.reply.code(200).header('content-type', encoder.contentType);
  const isEmpty = list.items.length === 0;
  const opening = [Buffer.from(encoder.opening(isEmpty)), ...(await encodeItems(encoder, list.items))];
  const closing = Buffer.from(encoder.closing(isEmpty));
  if (list.rest === undefined) call.reply.send(Buffer.concat([...opening, closing]));
  else await call.host.sendPieces(call.reply, piecesOf(encoder, Buffer.concat(opening), list.rest, closing));
}

async function* piecesOf(
  encoder: ListEncoder,
  opening: Buffer,
  rest: AsyncIterable<readonly Served[]>,
  closing: Buffer,
): AsyncGenerator<Buffer> {
  yield opening;
  const separator = Buffer.from(encoder.separator);
  for await (const items of rest)
    if (items.length > 0) yield Buffer.concat([separator, ...(await encodeItems(encoder, items))]);
  yield closing;
}

/** Encodes items; yields to other requests between them where encoding takes long, as YAML does. */
async function encodeItems(encoder: ListEncoder, items: readonly Served[]): Promise<Buffer[]> {
  const separator = Buffer.from(encoder.separator);
  const parts: Buffer[] = [];
  const pace = new Pace();
  for (const served of items) {
    if (parts.length > 0) parts.push(separator);
    const item = encoder.item(served);
    if (typeof item !== 'string') {
      parts.push(item);
      continue;
    }
    parts.push(Buffer.from(item));
    if (pace.isDue) await pace.rest();
  }
  return parts;
}

/** Warns once each of what the requested version could not show; of a long list, of what its first piece could not. */
function warnOfLosses({ reply }: ResourceCall, items: readonly Served[]): void {
  const losses = new Set(items.flatMap(({ losses = [] }) => losses));
  for (const loss of [...losses].slice(0, maxLossWarnings)) warn(reply, loss);
}

const maxLossWarnings = 10;
const tableOf = (call: ResourceCall, items: readonly KubeObject[], tableVersion: string) =>
  renderTable({
    version: call.target.resource.version,
    items,
    includeObject: includeObjectOf(call.query),
    now: call.now,
    tableVersion,
  });

export function sendJson(call: Pick<Call, 'reply' | 'query'>, code: number, content: object): void {
  sendBytes(call, code, Buffer.from(JSON.stringify(content)));
}

function sendBytes({ reply, query }: Pick<Call, 'reply' | 'query'>, code: number, bytes: Buffer): void {
  const body = isPretty(query) ? prettyPrint(bytes) : bytes;
  reply.code(code).header('content-type', 'application/json').send(body);
}

const prettyPrint = (bytes: Buffer): Buffer => Buffer.from(`${JSON.stringify(parseJson(bytes.toString()), null, 2)}\n`);

function sendYaml({ reply }: Call, code: number, json: Buffer): void {
  reply.code(code).header('content-type', 'application/yaml').send(jsonToYaml(json));
}
