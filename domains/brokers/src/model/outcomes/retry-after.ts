import type { BrokerResponse } from './broker-response.ts';

/** How long a broker asks to wait; undefined when it does not, or not understandably. A date counts from the answer's own. */
export function retryAfterOf({ headers }: Pick<BrokerResponse, 'headers'>): { readonly retryAfterSeconds?: number } {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return {};
  if (/^\d{1,9}$/.test(text)) return { retryAfterSeconds: Number(text) };
  if (!/GMT$/.test(text)) return {};
  const seconds = Math.ceil((Date.parse(text) - Date.parse(headers['date'] ?? '')) / 1000);
  return Number.isNaN(seconds) ? {} : { retryAfterSeconds: Math.max(0, seconds) };
}
