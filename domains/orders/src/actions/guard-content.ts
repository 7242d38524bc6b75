import { OrdersError } from '../errors.ts';
import type { Reservation } from '../ports.ts';

/** What content on its way must keep to. */
export interface ContentGuard {
  /** More bytes are an error. */
  readonly maxBytes: number;
  /** Bytes that are already reserved. Others are, as they come. Default 0. */
  readonly reservedBytes?: number;
  readonly reservation?: Reservation;
}

/** Passes content on as it comes. Throws `too-large` and `limit-exceeded` as soon as it is known. */
export async function* guardContent(
  content: AsyncIterable<Uint8Array>,
  { maxBytes, reservedBytes = 0, reservation }: ContentGuard,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let reserved = reservedBytes;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    if (size > reserved) {
      reservation?.grow(size - reserved);
      reserved = size;
    }
    yield chunk;
  }
}

/** Returns the error of content that is larger than it may be. */
export const tooLarge = (maxBytes: number): OrdersError =>
  new OrdersError('too-large', `The content is larger than ${maxBytes} bytes`, {
    name: 'content-length',
    value: maxBytes,
  });
