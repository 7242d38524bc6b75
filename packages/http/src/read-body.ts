import type { IncomingMessage } from 'node:http';
import { apiError, badRequest } from '@chandlery/api';

/** How much of a too large body is read and thrown away before the connection is simply cut. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** The body of a request that does not pass through the framework; undefined when it has none. Rejects as {@link readBody}. */
export async function readRequestBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  return encoding === undefined && Number(length) === 0 ? undefined : readBody(request, limitBytes);
}

/**
 * Reads a request's body, whatever its type.
 *
 * A too large one is refused only after the client has sent it: answering earlier makes the kernel reset the
 * connection under the unread rest, and most clients then report a broken pipe instead of the 413. Nothing of it is
 * kept meanwhile, and it has to arrive within the request timeout.
 */
export function readBody(
  request: NodeJS.ReadableStream & Pick<IncomingMessage, 'headers'>,
  limitBytes: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let received = 0;
    let isComplete = false;
    const tooLarge = () => apiError('RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);
    if (Number(request.headers['content-length']) > maxDrainedBytes) return reject(tooLarge());
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= limitBytes) chunks.push(chunk);
      else chunks = [];
      if (received > maxDrainedBytes) reject(tooLarge());
    });
    request.on('end', () => {
      isComplete = true;
      if (received > limitBytes) reject(tooLarge());
      else resolve(Buffer.concat(chunks, received));
    });
    request.on('error', cause =>
      reject(apiError('BadRequest', 'the request ended before its body was complete', {}, cause)),
    );
    // Without an error before it, a close before the end is an aborted upload too; after the end it says nothing.
    request.on('close', () => {
      if (!isComplete) reject(badRequest('the request ended before its body was complete'));
    });
    return undefined;
  });
}
