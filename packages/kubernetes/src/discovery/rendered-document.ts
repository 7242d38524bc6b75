import { createHash } from 'node:crypto';

/** A document ready to be sent, however often. */
export interface RenderedDocument {
  readonly body: Buffer;
  readonly contentType: string;
  /** Quoted, as the header wants it. */
  readonly etag: string;
}

/** Serialises a document. */
export function renderDocument(content: object, contentType = 'application/json'): RenderedDocument {
  const body = Buffer.from(JSON.stringify(content));
  const hash = createHash('sha256').update(contentType).update(body).digest('hex');
  return { body, contentType, etag: `"${hash.slice(0, 32).toUpperCase()}"` };
}

/** True when the client's `If-None-Match` names the document it already has: the answer is 304. */
export function isNotModified(ifNoneMatch: string | undefined, { etag }: Pick<RenderedDocument, 'etag'>): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map(tag => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
