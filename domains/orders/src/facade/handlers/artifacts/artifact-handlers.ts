import { digestOf } from '../../../actions/artifacts/artifact-actions.ts';
import { OrdersError } from '../../../errors.ts';
import { type ArtifactRow, recordsAt } from '../../../registry/orders-registry.ts';
import { actorOf, type Call, noContent, type OrdersResponse, ok } from '../call.ts';
import { findRecord, findVersion } from '../find-record.ts';
import type { HandlerDeps } from '../handler-deps.ts';
import { listRecords } from '../lists/list-records.ts';
import { readRange } from './byte-range.ts';
import {
  artifactColumns,
  blobHref,
  defaultMimeType,
  presentArtifact,
  presentArtifactItem,
} from './present-artifact.ts';
import { checkTusVersion, readBytes, readText, tusHeaders, tusOptions } from './tus-headers.ts';

interface Deps extends HandlerDeps {
  readonly settings: HandlerDeps['settings'] & { readonly artifactMaxBytes: number };
}

/** The type of the pieces of an upload. */
const pieceType = 'application/offset+octet-stream';

/** Handlers of artifacts. */
export const artifactHandlers = (deps: Deps) => {
  const { registry, actions, settings } = deps;
  const find = (call: Call): ArtifactRow => findRecord(call, 'artifact', registry.artifacts);
  return {
    list: async (call: Call): Promise<OrdersResponse> =>
      ok(
        await listRecords(
          call,
          {
            name: 'artifacts',
            columns: artifactColumns,
            table: registry.artifacts,
            recordsAt: (tenant, time) => recordsAt(registry, { table: 'artifacts', tenant, time }),
            present: artifact => presentArtifactItem(artifact, call),
          },
          deps,
        ),
      ),

    get: async (call: Call): Promise<OrdersResponse> =>
      ok(presentArtifact(findVersion(call, { kind: 'artifact', table: 'artifacts' }, deps), call)),

    create: async (call: Call): Promise<OrdersResponse> => {
      checkTusVersion(call.headers);
      const row = await createArtifact(deps, call);
      const headers = tusHeaders({ location: blobHref(call, row.id), 'upload-offset': String(row.status.size ?? 0) });
      return { status: 201, body: presentArtifact(row, call), headers: { ...headers, ...expiryOf(row) } };
    },

    remove: async (call: Call): Promise<OrdersResponse> => {
      await actions.artifacts.remove(find(call));
      return { ...noContent, headers: tusHeaders() };
    },

    /** What the server can do, for clients of TUS. */
    options: async (): Promise<OrdersResponse> => ({ status: 204, headers: tusOptions(settings.artifactMaxBytes) }),

    /** How far an upload is; of complete artifacts also what a GET would say. */
    head: async (call: Call): Promise<OrdersResponse> => {
      checkTusVersion(call.headers);
      const row = find(call);
      const offset = await actions.artifacts.offset(row);
      const length = row.status.status === 'ready' ? offset : row.status.uploadLength;
      const headers = tusHeaders({
        'upload-offset': String(offset),
        ...(length === undefined ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
        'cache-control': 'no-store',
        ...expiryOf(row),
      });
      return { status: 200, headers: { ...headers, ...(row.status.status === 'ready' ? contentHeaders(row) : {}) } };
    },

    /** Adds a piece to an upload. */
    patch: async (call: Call): Promise<OrdersResponse> => {
      checkTusVersion(call.headers);
      const { id } = find(call);
      const type = call.headers['content-type'] ?? '';
      if (type !== pieceType)
        throw new OrdersError('unsupported-content', `Content-Type must be ${pieceType}`, {
          name: 'content-type',
          value: type,
        });
      const offset = readBytes(call.headers, 'upload-offset');
      if (offset === undefined)
        throw new OrdersError('bad-request', 'Upload-Offset is missing', { name: 'upload-offset' });
      const uploadLength = readBytes(call.headers, 'upload-length');
      const piece = { offset, uploadLength, bytes: call.body.stream(), length: call.body.length };
      const row = await actions.artifacts.appendPiece(id, piece);
      return { status: 204, headers: tusHeaders({ 'upload-offset': String(row.status.size ?? 0), ...expiryOf(row) }) };
    },

    putBlob: async (call: Call): Promise<OrdersResponse> => {
      const { id } = find(call);
      const content = {
        bytes: call.body.stream(),
        length: call.body.length,
        mimeType: readText(call.headers, 'content-type'),
      };
      return ok(presentArtifact(await actions.artifacts.putContent(id, content), call));
    },

    getBlob: async (call: Call): Promise<OrdersResponse> => {
      const row = find(call);
      digestOf(row);
      const headers = contentHeaders(row);
      if (call.headers['if-none-match'] === headers['etag']) return { status: 304, headers };
      const size = row.status.size ?? 0;
      const range = readRange(call.headers.range, size);
      const contentType = row.spec.mimeType ?? defaultMimeType;
      const body = actions.artifacts.read(row, range);
      if (range === undefined) return { status: 200, body, contentType, headers };
      const { start, end } = range;
      const partial = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': String(end - start + 1) };
      return { status: 206, body, contentType, headers: { ...headers, ...partial } };
    },
  };
};

/** With bytes: all of them. Without: a place for an upload. With both an `Upload-Length` and some bytes: a begun upload. */
async function createArtifact({ actions }: Deps, call: Call): Promise<ArtifactRow> {
  const { headers, body } = call;
  const actor = actorOf(call);
  const uploadLength = readBytes(headers, 'upload-length') ?? readBytes(headers, 'x-content-length');
  const type = readText(headers, 'x-content-type') ?? (body.isPresent ? readText(headers, 'content-type') : undefined);
  const artifact = {
    name: readText(headers, 'x-name'),
    mimeType: type === pieceType ? undefined : type,
    policy: readText(headers, 'x-policy'),
    collection: readText(headers, 'x-collection'),
  };
  const content = { bytes: body.stream(), length: body.length };
  if (uploadLength === 0) return actions.artifacts.createWithContent(actor, artifact, { ...content, length: 0 });
  if (!body.isPresent) return actions.artifacts.createPending(actor, artifact, uploadLength);
  if (uploadLength === undefined || uploadLength === body.length)
    return actions.artifacts.createWithContent(actor, artifact, content);
  const { id } = await actions.artifacts.createPending(actor, artifact, uploadLength);
  return actions.artifacts.appendPiece(id, { ...content, offset: 0, uploadLength });
}

const contentHeaders = ({ spec, status }: ArtifactRow): Readonly<Record<string, string>> => ({
  'content-type': spec.mimeType ?? defaultMimeType,
  'content-length': String(status.size ?? 0),
  'accept-ranges': 'bytes',
  etag: `"${status.digest ?? ''}"`,
  // What tenants upload is never a page of the landscape's own origin.
  'content-security-policy': 'sandbox',
});

const expiryOf = ({ status }: ArtifactRow): Readonly<Record<string, string>> =>
  status.uploadExpiresAt === undefined ? {} : { 'upload-expires': new Date(status.uploadExpiresAt).toUTCString() };
