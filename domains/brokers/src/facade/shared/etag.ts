import type { IncomingHttpHeaders } from 'node:http';
import { smError } from '../../errors.ts';
import type { OperationRow } from '../../model/rows.ts';
import type { AnyRow } from '../rest/routes/any-handler.ts';

/**
 * Names what is shown: the revision of the resource and, behind a dot, of its last operation. `If-Match` looks at the
 * first part alone, because operations come and go without changing the resource.
 */
export function etagOf(row: AnyRow, operation: OperationRow | undefined): string {
  return operation === undefined ? `"${row.revision}"` : `"${row.revision}.${operation.revision}"`;
}

/** Throws `PreconditionFailed` when the resource is no longer as the caller knows it. */
export function checkIfMatch({ 'if-match': header }: IncomingHttpHeaders, row: AnyRow): void {
  if (header === undefined || header.trim() === '*') return;
  const revisions = tagsOf(header).map(tag => tag.split('.')[0]);
  if (revisions.includes(String(row.revision))) return;
  throw smError('PreconditionFailed', 'the resource has been changed since it was read; read it again', {
    ids: [row.id],
  });
}

/** Whether the caller already has what would be shown. */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tagsOf(header).includes(etag.slice(1, -1));
}

const tagsOf = (header: string): string[] => [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(([, tag]) => tag ?? '');
