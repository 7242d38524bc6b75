import type { JsonObject } from '@chandlery/api';
import { isBrokerFailure } from '../model/outcomes/broker-error.ts';
import { classifyOutcome } from '../model/outcomes/classify-outcome.ts';
import type { OsbOutcome, OsbVerb } from '../model/outcomes/osb-outcome.ts';
import type { BrokerRow } from '../model/rows.ts';
import type { BrokerConnection, BrokerRequest, BrokerResponse } from '../ports.ts';

export interface OsbClientOptions {
  /** Says its name, and the version that it is spoken to in. */
  readonly broker: Pick<BrokerRow, 'id' | 'spec' | 'status'>;
  /** Names the request in logs, here and at the broker. */
  readonly correlationId: string;
  readonly signal?: AbortSignal;
  /** For whom an internal broker works. Others do not see it. Default: the landscape itself. */
  readonly caller?: {
    readonly tenant: string;
    readonly platformId: string;
    /** Whether it cleans up after a creation whose instance stays. Default false. */
    readonly isMitigation?: boolean;
  };
}

/** One request of OSB. */
export interface OsbExchange {
  readonly verb: OsbVerb;
  readonly method: BrokerRequest['method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Default: the request is not of those that know it. */
  readonly acceptsIncomplete?: boolean;
  readonly body?: JsonObject;
  readonly identity?: string | undefined;
}

const newestVersion = '2.17';

/** Sends a request and says what came of it. */
export async function sendExchange(
  connection: BrokerConnection,
  options: OsbClientOptions,
  exchange: OsbExchange,
): Promise<OsbOutcome> {
  const { broker, signal } = options;
  const { verb, acceptsIncomplete } = exchange;
  const brokerName = broker.spec.name ?? broker.id;
  const facts = { verb, brokerName, ...(acceptsIncomplete === undefined ? {} : { acceptsIncomplete }) };
  let response: BrokerResponse;
  try {
    response = await connection.call(requestOf(options, exchange), signal === undefined ? {} : { signal });
  } catch (thrown) {
    if (!isBrokerFailure(thrown)) throw thrown;
    return classifyOutcome({ ...facts, failure: thrown });
  }
  return classifyOutcome({ ...facts, response });
}

function requestOf(options: OsbClientOptions, exchange: OsbExchange): BrokerRequest {
  const { method, path, body, query = {}, acceptsIncomplete } = exchange;
  const parameters = new URLSearchParams();
  if (acceptsIncomplete === true) parameters.set('accepts_incomplete', 'true');
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return {
    method,
    path: parameters.size === 0 ? path : `${path}?${percentEncoded(parameters)}`,
    headers: headersOf(options, exchange),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Blanks as %20: a plus sign is a blank only to those who read forms. */
const percentEncoded = (parameters: URLSearchParams): string => parameters.toString().replaceAll('+', '%20');

function headersOf({ broker, correlationId, caller }: OsbClientOptions, exchange: OsbExchange): Record<string, string> {
  const { body, identity } = exchange;
  return {
    accept: 'application/json',
    'x-broker-api-version': broker.spec.apiVersion ?? broker.status.apiVersion ?? newestVersion,
    'x-broker-api-request-identity': correlationId,
    'x-correlation-id': correlationId,
    ...(identity === undefined ? {} : { 'x-broker-api-originating-identity': identity }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(caller && {
      'x-chandlery-tenant': caller.tenant,
      'x-chandlery-platform': caller.platformId,
      ...(caller.isMitigation && { 'x-chandlery-mitigation': 'true' }),
    }),
  };
}
