import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCertificateAuthority } from '@chandlery/platform';
import type { TestLandscape } from '@chandlery/testing';
import { type Dispatcher, Pool } from 'undici';

/** Whom a request comes from, and what it says of itself. */
export interface Identity {
  readonly token?: string;
  readonly certificate?: { readonly certificatePem: string; readonly privateKeyPem: string };
  /** Sent with every request, for example `impersonate-user`. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface CallOptions {
  /** Default GET, or POST when there is a body. */
  readonly method?: string;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
  json<T = KubeJson>(): T;
}

/** What tests look at in an answer. */
export interface KubeJson {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace?: string; uid: string; resourceVersion: string; continue?: string };
  reason?: string;
  message?: string;
  code?: number;
  items?: KubeJson[];
  data?: Record<string, string>;
  details?: Record<string, unknown>;
  status?: unknown;
}

/** Sends requests of one identity. Paths go out byte for byte as given: nothing is normalised. */
export interface Caller extends AsyncDisposable {
  send(path: string, options?: CallOptions): Promise<Answer>;
  /** An answer whose body is read by the test. */
  open(path: string, options?: CallOptions): Promise<Dispatcher.ResponseData>;
}

/** Makes a caller; `await using` closes its connections. */
export function createCaller(landscape: Pick<TestLandscape, 'url' | 'ca'>, identity: Identity = {}): Caller {
  const { certificate, token } = identity;
  const pair = certificate && { cert: certificate.certificatePem, key: certificate.privateKeyPem };
  const pool = new Pool(landscape.url, { connect: { ca: landscape.ca, ...pair }, bodyTimeout: 0 });
  const open = (path: string, { body, method, headers }: CallOptions = {}) =>
    pool.request({
      path,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...identity.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    });
  return {
    open,
    async send(path, options) {
      const { statusCode, headers, body } = await open(path, options);
      const text = await body.text();
      return { status: statusCode, headers, text, json: <T>() => JSON.parse(text) as T };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

const bodyOf = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

/** The landscape's own certificate authority, as its operator has it in the data folder. */
export function authorityOf({ dataDir }: TestLandscape) {
  const read = (name: string): string => readFileSync(join(dataDir, 'keys', name), 'utf8');
  return loadCertificateAuthority(read('ca.crt'), read('ca.key'));
}
