import type { IncomingHttpHeaders } from 'node:http';
import { contentType } from 'mime-types';
import { OrdersError } from '../../errors.ts';
import type { ByteRange, SiteFile } from '../../ports.ts';
import { readRange } from '../handlers/artifacts/byte-range.ts';

/** A response with a part of a file, or none of it. */
export interface FileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that are sent. Undefined: none. */
  readonly range: ByteRange | undefined;
}

const unknownType = 'application/octet-stream';

/** Returns the response with a file. The conditions and ranges of a request are those of RFC 9110. */
export function fileResponse(path: string, file: SiteFile, request: IncomingHttpHeaders): FileResponse {
  const etag = `"${file.digest}"`;
  const headers = { 'content-type': typeOf(path), 'accept-ranges': 'bytes', etag };
  if (matches(request['if-none-match'], etag)) return { status: 304, headers: { etag }, range: undefined };
  const isCurrent = request['if-range'] === undefined || request['if-range'] === etag;
  try {
    const range = isCurrent ? readRange(request.range, file.size) : undefined;
    return range === undefined ? wholeFile(file, headers) : partOfFile(file, range, headers);
  } catch (error) {
    if (!(error instanceof OrdersError) || error.restCode !== 'range-not-satisfiable') throw error;
    return { status: 416, headers: { ...error.facts.headers, 'content-length': '0' }, range: undefined };
  }
}

/** The type by the extension of a path; texts are in UTF-8. */
const typeOf = (path: string): string => contentType(path.slice(path.lastIndexOf('/') + 1)) || unknownType;

function wholeFile({ size }: SiteFile, headers: FileResponse['headers']): FileResponse {
  const range = size === 0 ? undefined : { start: 0, end: size - 1 };
  return { status: 200, headers: { ...headers, 'content-length': String(size) }, range };
}

function partOfFile({ size }: SiteFile, range: ByteRange, headers: FileResponse['headers']): FileResponse {
  const { start, end } = range;
  const part = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': String(end - start + 1) };
  return { status: 206, headers: { ...headers, ...part }, range };
}

/** Whether a header `If-None-Match` has an entity tag, weak or not. */
const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some(part => ['*', etag].includes(part.trim().replace(/^W\//, '')));
