import type { IncomingMessage } from 'node:http';
import { apiError, badRequest, toError } from '@chandlery/api';

/** How much of a too large body is read and thrown away before the connection is simply cut. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** Whether a request announces a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || Number(length) !== 0;
}

/** The body of a request that does not belong to a host; undefined when it has none. Rejects as {@link readBody}. */
export async function readRequestBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  return hasBody(request) ? readBody(request, limitBytes) : undefined;
}

export interface ReadBodyOptions {
  /** Rejects with its reason when it is aborted. Default: never. */
  readonly signal?: AbortSignal;
  /** Called with the size of everything that arrives and is kept; what it throws ends the reading. */
  readonly onReceived?: (bytes: number) => void;
}

/**
 * Reads a request's body, whatever its type.
 *
 * A too large one is rejected only after the client has sent it: responding earlier makes the kernel reset the
 * connection under the unread rest, and most clients then report a broken pipe instead of the 413. Nothing of it is
 * kept meanwhile, and it has to arrive within the request timeout.
 */
export function readBody(
  request: NodeJS.ReadableStream & Pick<IncomingMessage, 'headers'>,
  limitBytes: number,
  { signal, onReceived }: ReadBodyOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let received = 0;
    let isComplete = false;
    const fail = (reason: Error): void => {
      chunks = [];
      isComplete = true;
      reject(reason);
    };
    const tooLarge = () => apiError('RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);
    if (Number(request.headers['content-length']) > maxDrainedBytes) return fail(tooLarge());
    signal?.addEventListener('abort', () => fail(toError(signal.reason)), { once: true });
    const keep = (chunk: Buffer): void => {
      try {
        onReceived?.(chunk.length);
        chunks.push(chunk);
      } catch (failure) {
        fail(toError(failure));
      }
    };
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (isComplete) return;
      if (received <= limitBytes) keep(chunk);
      else chunks = [];
      if (received > maxDrainedBytes) fail(tooLarge());
    });
    request.on('end', () => {
      isComplete = true;
      if (received > limitBytes) reject(tooLarge());
      else resolve(Buffer.concat(chunks, received));
    });
    request.on('error', cause =>
      fail(apiError('BadRequest', 'the request ended before its body was complete', {}, cause)),
    );
    // Without an error before it, a close before the end is an aborted upload too; after the end it says nothing.
    request.on('close', () => {
      if (!isComplete) fail(badRequest('the request ended before its body was complete'));
    });
    return undefined;
  });
}
