import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpHost } from '@chandlery/http';
import { badRequest, OrdersError } from '../../errors.ts';
import { parseJsonObject } from '../../model/bodies/body-fields.ts';
import type { RequestBody } from '../handlers/call.ts';

/** Bodies that are read into memory. */
const maxBodyBytes = 2 * 1024 * 1024;

/** Returns the body of a request, of which nothing is read before a handler asks. */
export function requestBody(
  host: Pick<HttpHost, 'readBody'>,
  request: IncomingMessage,
  response: ServerResponse,
): RequestBody {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const known = length === undefined ? (encoding === undefined ? 0 : undefined) : Number(length);
  const bytes = async (maxBytes = maxBodyBytes): Promise<Uint8Array | undefined> => {
    if (known !== undefined && known > maxBytes) throw tooLarge(maxBytes);
    return host.readBody(request, response, maxBytes);
  };
  return {
    length: known,
    isPresent: known !== 0,
    bytes,
    json: async () => parseJsonObject(await bytes()),
    stream: () => streamOf(request, response),
  };
}

/** The bytes of a request as they come. The connection stays open when reading stops, so that a response can be sent. */
async function* streamOf(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Uint8Array> {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw cause instanceof OrdersError ? cause : badRequest('The request ended before its body was complete');
  }
}

const tooLarge = (maxBytes: number): OrdersError =>
  new OrdersError('too-large', `The body is larger than ${maxBytes} bytes`, {
    name: 'content-length',
    value: maxBytes,
  });
