import { ChandleryError, type JsonObject } from '@chandlery/api';
import { basicAuthorization, HttpCaller, type HttpResponse } from '../http/http-caller.ts';
import type {
  BasicCredentials,
  CredentialsRequest,
  ManagedBroker,
  ManagedPlan,
  ManagedVisibility,
  ServiceManager,
} from '../ports.ts';

export interface RestServiceManagerOptions extends BasicCredentials {
  /** `https://sm.example`, without a slash at the end. */
  readonly url: string;
  /** Trusted besides what the system trusts, PEM. */
  readonly caPem?: string | undefined;
  /** Default 60,000. */
  readonly timeoutMs?: number;
}

const pageSize = '200';
/** So many ids go into one query, lest the address grows too long. */
const idsPerQuery = 50;

/** The service manager over its REST API, as one platform. */
export class RestServiceManager implements ServiceManager, AsyncDisposable {
  readonly #caller: HttpCaller;
  readonly #authorization: string;

  constructor(options: RestServiceManagerOptions) {
    const { url: baseUrl, caPem, timeoutMs } = options;
    this.#caller = new HttpCaller({ baseUrl, caPem, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    this.#authorization = basicAuthorization(options);
  }

  async listBrokers(): Promise<ManagedBroker[]> {
    return (await this.#list('/v1/service_brokers')).filter(({ ready }) => ready !== false).map(brokerOf);
  }

  async findBroker(id: string): Promise<ManagedBroker | undefined> {
    const { status, json } = await this.#call({ path: `/v1/service_brokers/${encodeURIComponent(id)}` }, [404]);
    const row = json as JsonObject;
    return status === 404 || row['ready'] === false ? undefined : brokerOf(row);
  }

  async listPlans(brokerIds?: readonly string[], planIds?: readonly string[]): Promise<ManagedPlan[]> {
    const offerings = (await this.#listBy('/v1/service_offerings', 'broker_id', brokerIds)).map(offeringOf);
    const brokerOfOffering = new Map(offerings.map(({ id, brokerId }) => [id, brokerId]));
    const ids = brokerIds === undefined ? undefined : offerings.map(({ id }) => id);
    const rows =
      planIds === undefined
        ? await this.#listBy('/v1/service_plans', 'service_offering_id', ids)
        : await this.#listBy('/v1/service_plans', 'id', planIds);
    return rows.flatMap(row => {
      const brokerId = brokerOfOffering.get(row['service_offering_id'] as string);
      return brokerId === undefined ? [] : [planOf(row, brokerId)];
    });
  }

  async listVisibilities(planIds?: readonly string[]): Promise<ManagedVisibility[]> {
    return (await this.#listBy('/v1/visibilities', 'service_plan_id', planIds)).map(visibilityOf);
  }

  async putCredentials({ brokerId, username, passwordHash, isForced }: CredentialsRequest): Promise<string> {
    const { json } = await this.#call({
      method: 'PUT',
      path: '/v1/credentials',
      query: isForced ? { force: 'true' } : {},
      json: { broker_id: brokerId, username, password_hash: passwordHash },
    });
    const { id } = json as { id?: unknown };
    if (typeof id === 'string') return id;
    throw new ChandleryError('InvalidAnswer', 'the service manager stored credentials and did not say their id');
  }

  async activateCredentials(id: string): Promise<void> {
    await this.#call({ method: 'PUT', path: `/v1/credentials/${encodeURIComponent(id)}/activate`, json: {} });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caller[Symbol.asyncDispose]();
  }

  async #listBy(path: string, field: string, values: readonly string[] | undefined): Promise<JsonObject[]> {
    if (values === undefined) return this.#list(path);
    const rows: JsonObject[] = [];
    for (let at = 0; at < values.length; at += idsPerQuery) {
      const quoted = values.slice(at, at + idsPerQuery).map(value => `'${value.replaceAll("'", "''")}'`);
      rows.push(...(await this.#list(path, `${field} in (${quoted.join(',')})`)));
    }
    return rows;
  }

  async #list(path: string, fieldQuery?: string): Promise<JsonObject[]> {
    const rows: JsonObject[] = [];
    let token: string | undefined;
    do {
      const { json } = await this.#call({ path, query: { fieldQuery, max_items: pageSize, token } });
      const page = json as { items?: JsonObject[]; token?: string };
      rows.push(...(page.items ?? []));
      token = page.token;
    } while (token !== undefined && token !== '');
    return rows;
  }

  async #call(call: Parameters<HttpCaller['call']>[0], accepted: readonly number[] = []): Promise<HttpResponse> {
    const answer = await this.#caller.call({ ...call, headers: { authorization: this.#authorization } });
    if (accepted.includes(answer.status)) return answer;
    const isObject = typeof answer.json === 'object' && answer.json !== null;
    if (answer.status >= 200 && answer.status < 300 && isObject) return answer;
    throw rejected(`${call.method ?? 'GET'} ${call.path}`, answer);
  }
}

/** The code is the service manager's own word for it. */
function rejected(what: string, { status, json }: HttpResponse): ChandleryError {
  const { error, description } = (json ?? {}) as { error?: unknown; description?: unknown };
  const code = typeof error === 'string' && error !== '' ? error : `Status${status}`;
  const why = typeof description === 'string' ? `: ${description}` : '';
  return new ChandleryError(code, `the service manager answered ${status} to ${what}${why}`);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A broker as it is listed. */
const brokerOf = (row: JsonObject): ManagedBroker => ({
  id: text(row['id']),
  name: text(row['name']),
  url: text(row['broker_url']),
});

/** The part of an offering that leads from plans to brokers. */
const offeringOf = (row: JsonObject): { readonly id: string; readonly brokerId: string } => ({
  id: text(row['id']),
  brokerId: text(row['broker_id']),
});

/** A plan as it is listed. */
const planOf = (row: JsonObject, brokerId: string): ManagedPlan => ({
  id: text(row['id']),
  catalogId: text(row['catalog_id']),
  brokerId,
});

/** A visibility as it is listed. */
const visibilityOf = (row: JsonObject): ManagedVisibility => ({
  planId: text(row['service_plan_id']),
  platformId: text(row['platform_id']),
  labels: (row['labels'] ?? {}) as Record<string, string[]>,
});
