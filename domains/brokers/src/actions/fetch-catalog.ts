import { isDeeperThan, isError } from '@chandlery/api';
import { type SmError, smError } from '../errors.ts';
import type { Catalog } from '../model/catalog/catalog.ts';
import { parseCatalog } from '../model/catalog/parse-catalog.ts';
import type { BrokerConnection, BrokerResponse, BrokerTarget } from '../ports.ts';
import { brokerFailureCodes } from '../ports.ts';

/** Versions of the OSB API that we speak, best first. */
const apiVersions = ['2.17', '2.16', '2.15', '2.14', '2.13', '2.12', '2.11'] as const;

/**
 * The registration of a broker waits for its catalog, and clients wait 15 s at most. `limits.timeoutMs` of the broker
 * replaces it.
 */
const catalogTimeoutMs = 14_000;

/** Larger ones do not fit into one object of the store, beside the rest of the broker. */
const maxCatalogBytes = 1_300_000;

/** Deeper than any honest catalog, and shallow enough for every recursive function to come. */
const maxCatalogDepth = 200;

/** A catalog, and the version of the API in which the broker gave it. */
export interface FetchedCatalog {
  readonly catalog: Catalog;
  readonly apiVersion: string;
}

/** Whose catalog is fetched, and for which request. */
interface FetchOptions {
  readonly target: Omit<BrokerTarget, 'credentials'>;
  readonly correlationId: string;
}

/**
 * Fetches and checks a broker's catalog. A broker that refuses a version (412) is asked in the next lower one, unless its
 * spec fixes one. What the broker says in an error is not passed on.
 */
export async function fetchCatalog(connection: BrokerConnection, options: FetchOptions): Promise<FetchedCatalog> {
  const { name, spec } = options.target;
  const versions = spec.apiVersion === undefined ? apiVersions : [spec.apiVersion];
  for (const apiVersion of versions) {
    const response = await ask(connection, { ...options, apiVersion });
    if (response.status !== 412) return { catalog: readCatalog(name, response), apiVersion };
  }
  throw rejection(name, `does not accept the OSB API version ${versions.join(', ')}`, { brokerStatus: 412 });
}

async function ask(
  connection: BrokerConnection,
  { target, correlationId, apiVersion }: FetchOptions & { readonly apiVersion: string },
): Promise<BrokerResponse> {
  const headers = {
    accept: 'application/json',
    'x-broker-api-version': apiVersion,
    'x-broker-api-request-identity': correlationId,
    'x-correlation-id': correlationId,
  };
  try {
    const { timeoutMs = catalogTimeoutMs } = target.spec.limits ?? {};
    return await connection.call({ method: 'GET', path: '/v2/catalog', headers }, { timeoutMs });
  } catch (error) {
    throw failureOf(target, error);
  }
}

function failureOf({ name, spec }: FetchOptions['target'], error: unknown): unknown {
  if (!isError(error, ...Object.values(brokerFailureCodes))) return error;
  const facts = { broker: name, isRetryable: true, ...retryAfter(error.details.retryAfterSeconds) };
  if (error.code === brokerFailureCodes.BrokerTimeout)
    return smError(
      'ServiceBrokerErr',
      `service broker ${name} did not give its catalog in time`,
      { ...facts, status: 504 },
      { cause: error },
    );
  if (error.code === brokerFailureCodes.BrokerAddressNotAllowed)
    return smError(error.code, error.message, { status: 400, field: 'broker_url', broker: name });
  const where = spec.url ?? `internal:${spec.internal}`;
  return smError('ServiceBrokerErr', `could not reach service broker ${name} at ${where}`, facts, { cause: error });
}

const retryAfter = (retryAfterSeconds: number | undefined) =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds };

function readCatalog(name: string, { status, body }: BrokerResponse): Catalog {
  if (status !== 200) throw rejection(name, `answered ${status} when asked for its catalog`, { brokerStatus: status });
  if (body.length > maxCatalogBytes)
    throw rejection(name, `has a catalog of ${body.length} bytes; at most ${maxCatalogBytes} are allowed`);
  const document = parseJson(name, body);
  if (isDeeperThan(maxCatalogDepth, document))
    throw rejection(name, `has a catalog that is nested deeper than ${maxCatalogDepth} levels`);
  return parseCatalog(document);
}

function parseJson(name: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw rejection(name, 'gave a catalog that is not JSON');
  }
}

const rejection = (name: string, why: string, facts: { readonly brokerStatus?: number } = {}): SmError =>
  smError('BadRequest', `service broker ${name} ${why}`, { broker: name, ...facts });
