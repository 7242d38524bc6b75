import { isError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { basicAuthorization, type HttpCall, HttpCaller } from '../../../http/http-caller.ts';
import type { ServiceBroker } from '../kinds.ts';
import type { BrokerResponse } from './interpret-osb.ts';

/** Calls one broker. */
export type CallBroker = (call: HttpCall) => Promise<BrokerResponse>;

const apiVersion = '2.15';
const secrets = { group: '', version: 'v1', plural: 'secrets' } as const;

interface Authorization {
  readonly authorization?: string;
}

/** The brokers of a cluster, to be called with the credentials that are in their secrets. */
export class OsbBrokers implements AsyncDisposable {
  readonly #client: Pick<Client, 'get'>;
  readonly #timeoutMs: number;
  readonly #callers = new Map<string, HttpCaller>();

  constructor(client: Pick<Client, 'get'>, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Opens a broker for calls. Secrets are read each time, because they may be rotated at any moment, even between the
   * read and the call: after a 401 the secret is read again.
   */
  async open(broker: ServiceBroker): Promise<CallBroker> {
    const authorization = await this.#authorizationOf(broker);
    const caller = this.#callerOf(broker);
    return async call => {
      const response = await responseOf(caller, call, authorization);
      if (response.status !== 401) return response;
      const present = await this.#authorizationOf(broker);
      return present.authorization === authorization.authorization ? response : responseOf(caller, call, present);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#callers.values()].map(caller => caller[Symbol.asyncDispose]()));
  }

  #callerOf({ spec }: ServiceBroker): HttpCaller {
    const key = JSON.stringify([spec.url, spec.caBundle]);
    const known = this.#callers.get(key);
    if (known !== undefined) return known;
    const caPem = spec.caBundle === undefined ? undefined : Buffer.from(spec.caBundle, 'base64').toString();
    const caller = new HttpCaller({ baseUrl: spec.url.replace(/\/+$/, ''), caPem, timeoutMs: this.#timeoutMs });
    this.#callers.set(key, caller);
    return caller;
  }

  async #authorizationOf({ spec }: ServiceBroker): Promise<Authorization> {
    const { name, namespace } = spec.authInfo?.basic?.secretRef ?? {};
    if (name === undefined || namespace === undefined) return {};
    const secret = await this.#client.get({ ...secrets, namespace, name });
    const data = (secret['data'] ?? {}) as Record<string, string>;
    return {
      authorization: basicAuthorization({ username: decode(data['username']), password: decode(data['password']) }),
    };
  }
}

async function responseOf(caller: HttpCaller, call: HttpCall, authorization: Authorization): Promise<BrokerResponse> {
  const headers = { 'x-broker-api-version': apiVersion, ...authorization, ...call.headers };
  try {
    const { status, json, headers: response } = await caller.call({ ...call, headers });
    return { status, json, retryAfterMs: retryAfterOf(response['retry-after']) };
  } catch (thrown) {
    return { status: 'lost', message: toError(thrown).message, isUnsent: isUnsent(thrown) };
  }
}

/** Kubernetes keeps secrets in base64. */
export const decode = (text = ''): string => Buffer.from(text, 'base64').toString();

function retryAfterOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

const neverConnected: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'];

function isUnsent(thrown: unknown): boolean {
  const cause = isError(thrown) ? (thrown.cause as { code?: string } | undefined) : undefined;
  return neverConnected.includes(cause?.code ?? '');
}
