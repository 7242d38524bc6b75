import { isError, type JsonObject } from '@chandlery/api';
import { globalTenant, type InternalBroker } from '../../kinds/index.ts';
import { isJsonObject } from '../../model/json.ts';
import { osbErrors } from '../../model/osb/osb-errors.ts';
import type { BrokerResponse } from '../../ports.ts';

/** A request to an internal broker, taken apart. */
export interface InternalExchange {
  readonly broker: InternalBroker;
  /** Whose catalog it is. */
  readonly catalogTenant: string;
  readonly method: string;
  readonly instanceId: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** The tenant for whom something is asked. */
export const tenantOf = (headers: InternalExchange['headers']): string => headers['x-chandlery-tenant'] ?? globalTenant;

const jsonHeaders = { 'content-type': 'application/json' };

export const osbResponse = (status: number, body: JsonObject = {}): BrokerResponse => ({
  status,
  headers: jsonHeaders,
  body: Buffer.from(JSON.stringify(body)),
});

export const badRequest = (description: string): BrokerResponse =>
  osbResponse(400, { error: 'BadRequest', description });

export const asyncRequired = (): BrokerResponse => osbResponse(422, osbErrors.asyncRequired);

export const concurrencyError = (): BrokerResponse => osbResponse(422, osbErrors.concurrencyError);

export const acceptsIncomplete = ({ query }: InternalExchange): boolean => query.get('accepts_incomplete') === 'true';

/** The part of a request that must be an object if it is there. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** How refusals look in a request: what `NotFound` and `Conflict` mean depends on what was asked. */
export interface RejectionStatuses {
  readonly notFound: number;
  readonly conflict: 409 | 422;
}

/** Asks the broker and turns its refusals into answers. Anything else that it throws is a failure of its own. */
export async function rejected(
  ask: () => Promise<BrokerResponse>,
  statuses: RejectionStatuses,
): Promise<BrokerResponse> {
  try {
    return await ask();
  } catch (thrown) {
    if (isError(thrown, 'BadRequest', 'Invalid')) return badRequest(thrown.message);
    if (isError(thrown, 'NotFound'))
      return statuses.notFound === 410
        ? osbResponse(410)
        : osbResponse(statuses.notFound, { error: 'NotFound', description: thrown.message });
    if (isError(thrown, 'Conflict'))
      return statuses.conflict === 409
        ? osbResponse(409, { error: 'Conflict', description: thrown.message })
        : concurrencyError();
    if (isError(thrown, 'ConcurrencyError')) return concurrencyError();
    return osbResponse(500, { error: 'InternalError', description: 'the offering source failed' });
  }
}
