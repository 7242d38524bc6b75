import type { JsonObject } from '@chandlery/api';
import { osbErrors } from '../model/osb/osb-errors.ts';

/** A request, read. */
export interface OsbRequest {
  readonly method: string;
  /** Decoded, after `/v2`. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** Undefined: no JSON object. Empty where there is none. */
  readonly body: JsonObject | undefined;
}

/** An answer, before it is written. */
export interface OsbAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const answer = (status: number, body: JsonObject = {}): OsbAnswer => ({ status, body });

export const badRequest = (description: string): OsbAnswer => answer(400, { error: 'BadRequest', description });

export const noSuch = (what: string): OsbAnswer => answer(404, { error: 'NotFound', description: `no such ${what}` });

export const gone = (): OsbAnswer => answer(410);

export const differs = (): OsbAnswer => answer(409, { error: 'Conflict', description: 'exists with other attributes' });

export const asyncRequired = (): OsbAnswer => answer(422, osbErrors.asyncRequired);

export const concurrency = (): OsbAnswer => answer(422, osbErrors.concurrencyError);

export const accepted = (operation: string, more: JsonObject = {}): OsbAnswer => answer(202, { ...more, operation });
