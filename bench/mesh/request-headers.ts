import { ChandleryError } from '@chandlery/api';

export interface GrpcRequest {
  readonly authority: string;
  /** The gRPC method: `/package.Service/Method`. */
  readonly path: string;
}

/** The encoded headers of a gRPC request. They do not depend on the state of the connection. */
export const encodeRequestHeaders = ({ authority, path }: GrpcRequest): Buffer =>
  encodeHeaders({
    ':method': 'POST',
    ':scheme': 'https',
    ':path': path,
    ':authority': authority,
    'content-type': 'application/grpc',
    te: 'trailers',
  });

/** "Literal header field without indexing, new name" (RFC 7541, section 6.2.2). */
const literal = Buffer.from([0]);
/** Longer texts have lengths of several bytes. */
const maxTextLength = 126;

const encodeHeaders = (headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(headers).flatMap(([name, value]) => [literal, encodeText(name), encodeText(value)]));

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length > maxTextLength) throw new ChandleryError('TooLong', `the header text "${text}" is too long`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
