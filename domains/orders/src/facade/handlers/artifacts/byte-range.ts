import { OrdersError } from '../../../errors.ts';
import type { ByteRange } from '../../../ports.ts';

/**
 * Reads the header `Range` for content of a size (RFC 9110). Undefined: all of it is sent, as for units that are not known
 * and for several ranges. Throws `range-not-satisfiable`.
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start < size && start <= end) return { start, end };
  throw new OrdersError('range-not-satisfiable', `The content has ${size} bytes`, {
    name: 'range',
    value: header,
    headers: { 'content-range': `bytes */${size}` },
  });
}
