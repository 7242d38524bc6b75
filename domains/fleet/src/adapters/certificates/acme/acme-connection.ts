import { setTimeout as sleep } from 'node:timers/promises';
import { peerRejected, peerUnavailable } from '../../../port-errors.ts';
import { checkEndpoint } from '../../endpoint.ts';
import { PeerHttp, type PeerResponse, parseJsonObject } from '../../peer-http.ts';
import { AcmeAccountKey } from './acme-account-key.ts';

/** Which ACME server with which account. */
export interface AcmeConnectionOptions {
  /** The directory of the server. */
  readonly directoryUrl: string;
  /** P-256 in PEM. The account is made when the server does not know the key. */
  readonly accountKeyPem: string;
  /** `mailto:` addresses. Default none. */
  readonly contact?: readonly string[];
  /** For one call. Default 15 000. */
  readonly timeoutMs?: number;
  /** Trusted certificate authorities in PEM, for the server itself. Default: those of Node. */
  readonly caPem?: string;
}

/** What a call returned. */
export interface AcmeResource {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Directory = Readonly<Record<'newNonce' | 'newAccount' | 'newOrder', URL>>;

/** Servers for tests reject good nonces on purpose. */
const maxNonceAttempts = 10;
const firstPauseMs = 250;
const maxPauseMs = 5000;
const problemPrefix = 'urn:ietf:params:acme:error:';
/** Problems that another attempt may not have (RFC 8555, 6.7), although their status is of the client's side. */
const transientProblems: readonly string[] = ['badNonce', 'rateLimited', 'dns', 'connection', 'incorrectResponse'];

/** Signed calls of an ACME server (RFC 8555) by one account. */
export class AcmeConnection implements AsyncDisposable {
  readonly key: AcmeAccountKey;
  readonly #options: AcmeConnectionOptions;
  readonly #http: PeerHttp;
  readonly #directoryUrl: URL;
  #directory: Promise<Directory> | undefined;
  #accountUrl: Promise<string> | undefined;

  constructor(options: AcmeConnectionOptions) {
    const { timeoutMs, caPem } = options;
    this.#options = options;
    this.key = new AcmeAccountKey(options.accountKeyPem);
    this.#directoryUrl = checkEndpoint(options.directoryUrl, 'certificates.directory_url');
    this.#http = new PeerHttp({
      peer: 'the ACME server',
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(caPem === undefined ? {} : { caPem }),
    });
  }

  /** Orders a certificate for identifiers. */
  async newOrder(payload: unknown): Promise<AcmeResource> {
    return this.post((await this.#readDirectory()).newOrder, payload);
  }

  /** Sends a payload signed by the account; without one, reads a resource. */
  async post(url: URL | string, payload?: unknown): Promise<AcmeResource> {
    this.#accountUrl ??= this.#openAccount().catch((error: unknown) => {
      this.#accountUrl = undefined;
      throw error;
    });
    return this.#send(url, { kid: await this.#accountUrl }, payload);
  }

  /** Reads a resource until its status is none of `pending`. Rejects with `PeerUnavailable` after `deadlineMs`. */
  async waitFor(url: string, pending: readonly string[], deadlineMs: number): Promise<AcmeResource> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      const resource = await this.post(url);
      if (!pending.includes(String(resource.body['status']))) return resource;
      if (performance.now() + pauseMs > deadlineMs)
        throw peerUnavailable(`the ACME server has not finished: ${url} is still ${String(resource.body['status'])}`);
      await sleep(pauseMs);
    }
  }

  /** Makes the account, or finds the one of this key. */
  async #openAccount(): Promise<string> {
    const { newAccount } = await this.#readDirectory();
    const payload = { termsOfServiceAgreed: true, contact: this.#options.contact ?? [] };
    return (await this.#send(newAccount, { jwk: this.key.jwk }, payload)).url;
  }

  async #send(target: URL | string, who: Readonly<Record<string, unknown>>, payload: unknown): Promise<AcmeResource> {
    const url = checkEndpoint(String(target), 'an address of the ACME server');
    for (let attempt = 1; ; attempt += 1) {
      const header = { ...who, nonce: await this.#newNonce(), url: url.href };
      const body = this.key.sign(header, payload);
      const headers = { 'content-type': 'application/jose+json' };
      const response = await this.#http.send({ url, method: 'POST', headers, body });
      if (response.status < 300) return toResource(response, url);
      const problem = problemOf(response);
      if (problem.type !== 'badNonce' || attempt === maxNonceAttempts) throw this.#failure(url, response, problem);
    }
  }

  /** A new one for each request: a pool would save a call and cost retries when nonces are lost or stale. */
  async #newNonce(): Promise<string> {
    const response = await this.#http.send({ url: (await this.#readDirectory()).newNonce, method: 'HEAD' });
    const nonce = response.headers['replay-nonce'];
    if (typeof nonce !== 'string') throw peerUnavailable(`the ACME server answered ${response.status} without a nonce`);
    return nonce;
  }

  #readDirectory(): Promise<Directory> {
    this.#directory ??= this.#fetchDirectory().catch((error: unknown) => {
      this.#directory = undefined;
      throw error;
    });
    return this.#directory;
  }

  async #fetchDirectory(): Promise<Directory> {
    const response = await this.#http.send({ url: this.#directoryUrl });
    if (response.status !== 200) throw this.#http.failure(response, 'read the ACME directory');
    const body = this.#http.parse(response, 'read the ACME directory');
    const urlOf = (name: string): URL => checkEndpoint(String(body[name]), `${name} of the ACME directory`);
    return { newNonce: urlOf('newNonce'), newAccount: urlOf('newAccount'), newOrder: urlOf('newOrder') };
  }

  #failure(url: URL, response: PeerResponse, { type, detail }: Problem): Error {
    if (type === 'accountDoesNotExist') this.#accountUrl = undefined;
    if (type === '') return this.#http.failure(response, `call ${url.pathname}`);
    return problemError(`the ACME server answered ${type}: ${detail}`, type, response.status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }
}

/** A problem of the server as our error. */
export function problemError(message: string, type: string, status = 400): Error {
  if (status >= 500 || transientProblems.includes(type) || type === 'accountDoesNotExist')
    return peerUnavailable(message);
  return peerRejected(message, 'Check the hosts, the DNS zone and the account at the certificate authority.');
}

/** What a problem document says (RFC 7807). */
export interface Problem {
  /** Without the common prefix; empty when there is no document. */
  readonly type: string;
  readonly detail: string;
}

/** Reads the problem in a response or, as `error`, in a challenge or an order. */
export function readProblem(value: unknown): Problem {
  const { type, detail } = (value ?? {}) as { readonly type?: unknown; readonly detail?: unknown };
  const isAcme = typeof type === 'string' && type.startsWith(problemPrefix);
  return {
    type: isAcme ? type.slice(problemPrefix.length) : '',
    detail: typeof detail === 'string' ? detail.slice(0, 300) : '',
  };
}

const problemOf = ({ text }: PeerResponse): Problem => readProblem(parseJsonObject(text));

const toResource = ({ headers, text }: PeerResponse, url: URL): AcmeResource => ({
  url: typeof headers['location'] === 'string' ? headers['location'] : url.href,
  body: parseJsonObject(text) ?? {},
  text,
});
