import { notServed } from '@chandlery/api';
import { type Call, representation } from '../call.ts';
import type { DiscoveryDocuments } from '../discovery/discovery-documents.ts';
import { isNotModified, type RenderedDocument } from '../discovery/rendered-document.ts';
import type { OpenapiDocuments } from '../openapi/openapi-documents.ts';
import { openapiV2Document, openapiV2MediaType } from '../openapi/openapi-v2.ts';
import type { RequestPath } from '../request-path.ts';

type DiscoveryPath = Extract<RequestPath, { type: 'discovery' | 'group' | 'groupVersion' }>;

/** `/api`, `/apis` and what is below them short of a resource. */
export function sendDiscovery(call: Call, path: DiscoveryPath, documents: DiscoveryDocuments): void {
  call.reply.header('vary', 'Accept');
  sendDocument(call, discoveryDocument(call, path, documents));
}

function discoveryDocument(
  call: Call,
  path: DiscoveryPath,
  documents: DiscoveryDocuments,
): RenderedDocument | undefined {
  switch (path.type) {
    case 'discovery': {
      const { as, version } = representation(call, 'discovery');
      const aggregated = as === 'aggregatedDiscovery' ? (version as 'v2' | 'v2beta1') : undefined;
      return documents.root(call.kinds, path.root, aggregated);
    }
    case 'group':
      return documents.group(call.kinds, path.group);
    case 'groupVersion':
      return documents.groupVersion(call.kinds, path.group, path.version);
  }
}

/** `/openapi/v3` and one document per group version. */
export async function sendOpenapi(call: Call, document: string, documents: OpenapiDocuments): Promise<void> {
  if (document === '') return sendDocument(call, documents.index(call.kinds));
  const parts = document.split('/');
  const [group, version] = parts[0] === 'api' ? ['', parts[1]] : [parts[1], parts[2]];
  const isWhole = parts.length === (parts[0] === 'api' ? 2 : 3) && (parts[0] === 'api' || parts[0] === 'apis');
  if (!isWhole || group === undefined || version === undefined) throw notServed();
  await documents.prepare(call.kinds, group, version);
  const found = documents.groupVersion(call.kinds, group, version, call.query.get('hash') ?? undefined);
  if (found?.isImmutable) call.reply.header('cache-control', 'public, immutable, max-age=31536000');
  sendDocument(call, found);
}

/** `/openapi/v2`, for clients that read it in protobuf; all others use v3. */
export function sendOpenapiV2({ reply, request }: Call): void {
  if (!/\+protobuf/.test(request.headers.accept ?? '')) {
    throw notServed();
  }
  reply.header('content-type', openapiV2MediaType).send(openapiV2Document);
}

function sendDocument({ reply, request }: Call, document: RenderedDocument | undefined): void {
  if (document === undefined) throw notServed();
  reply.header('etag', document.etag);
  if (isNotModified(request.headers['if-none-match'], document)) {
    reply.code(304).send();
    return;
  }
  reply.header('content-type', document.contentType).send(document.body);
}
