import { statement } from '../../actions/orders/order-aspects.ts';
import { badRequest, OrdersError, recordNotFound } from '../../errors.ts';
import { parseJsonObject } from '../../model/bodies/body-fields.ts';
import { parseUrn, urnOf } from '../../model/urns.ts';
import type { ArtifactRow } from '../../registry/orders-registry.ts';
import { actorOfCall, type ProxyCall, type ProxyDeps, type ProxyResponse, readAll } from './proxy-call.ts';

/** The bytes of an artifact of the order's tenant. */
export async function readArtifact(
  { registry, actions }: ProxyDeps,
  call: ProxyCall,
  urn: string,
): Promise<ProxyResponse> {
  const row = registry.artifacts.get(parseUrn('artifact', urn) ?? '');
  if (row?.tenant !== call.tenant) throw recordNotFound(urn);
  const headers = {
    'content-type': row.spec.mimeType ?? 'application/octet-stream',
    'content-length': String(row.status.size ?? 0),
    'x-artifact-id': urn,
    ...(row.spec.name !== undefined && { 'x-name': encodeURIComponent(row.spec.name) }),
  };
  return { status: 200, headers, body: actions.artifacts.read(row) };
}

/** Stores an artifact as a product of the order, or what is stated about an entity. */
export function postStorage(deps: ProxyDeps, call: ProxyCall): Promise<ProxyResponse> {
  const { headers } = call;
  const entity =
    headers['x-meta-data-for-entity'] ?? headers['x-meta-data-for-artifact'] ?? headers['x-meta-data-for-url'];
  return typeof entity === 'string' ? addAspect(deps, call, entity) : addProduct(deps, call);
}

async function addProduct({ actions, registry }: ProxyDeps, call: ProxyCall): Promise<ProxyResponse> {
  const { order, headers, stream, length } = call;
  const text = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const metadata = uploadMetadata(text('upload-metadata'));
  const artifact = {
    name: text('x-name') ?? metadata.get('filename') ?? metadata.get('name'),
    mimeType: text('content-type') ?? metadata.get('filetype'),
    policy: text('x-policy'),
    collection: text('x-collection'),
    order: order?.id,
  };
  const row = await actions.artifacts.createWithContent(actorOfCall(call), artifact, { bytes: stream, length });
  if (order !== undefined) await registry.commit([produced(registry, row, order.id)]);
  const id = urnOf('artifact', row.id);
  const location = `${call.base}/${id}`;
  return { status: 201, headers: { location, 'x-artifact-id': id }, body: { id, size: row.status.size ?? 0 } };
}

const produced = (registry: ProxyDeps['registry'], { id, tenant }: ArtifactRow, order: string) =>
  statement(registry, {
    tenant,
    entity: urnOf('order', order),
    schema: 'order-produced-artifact.1',
    content: { 'order-id': urnOf('order', order), artifact: urnOf('artifact', id) },
  });

/** `filename d29ybGQ=,filetype …`: the metadata of TUS. */
function uploadMetadata(header: string | undefined): ReadonlyMap<string, string> {
  const pairs = (header ?? '').split(',').map(pair => pair.trim().split(/\s+/));
  return new Map(pairs.map(([name = '', value = '']) => [name, Buffer.from(value, 'base64').toString('utf8')]));
}

async function addAspect({ actions }: ProxyDeps, call: ProxyCall, entity: string): Promise<ProxyResponse> {
  const content = parseJsonObject(await readAll(call));
  const schema = call.headers['x-meta-data-schema'] ?? content['$schema'];
  if (typeof schema !== 'string' || schema === '') throw badRequest('X-Meta-Data-Schema is missing');
  const row = await actions.aspects.add(actorOfCall(call), { entity, schema, content });
  return { status: 201, body: { id: urnOf('aspect', row.id) } };
}

/** Content from outside, by its URL in base64url. */
export async function readExternal(
  { fetchExternal }: ProxyDeps,
  call: ProxyCall,
  encoded: string,
): Promise<ProxyResponse> {
  const url = Buffer.from(encoded, 'base64url').toString('utf8');
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new OrdersError('bad-request', 'The path must be an http(s) URL in base64url');
  const { contentType, bytes } = await fetchExternal(url, call.signal);
  return { status: 200, headers: { 'content-type': contentType }, body: bytes };
}
