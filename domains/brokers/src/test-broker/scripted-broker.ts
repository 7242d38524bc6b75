import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '@chandlery/api';
import { answerOsb } from './answer-osb.ts';
import { authChecker, type BrokerAuth } from './broker-auth.ts';
import type { BrokerBinding, BrokerInstance } from './broker-records.ts';
import { BrokerScript, type Misbehaviour, type ScriptRule } from './broker-script.ts';
import { BrokerServer, type BrokerTls } from './broker-server.ts';
import { BrokerState } from './broker-state.ts';
import { type BrokerCatalog, defaultCatalog } from './default-catalog.ts';
import { answer, type OsbAnswer } from './osb-answers.ts';
import { readRequest } from './read-request.ts';
import { misbehave, sendAnswer } from './send-answer.ts';

export interface ScriptedBrokerOptions {
  /** Default: {@link defaultCatalog}. */
  readonly catalog?: BrokerCatalog;
  /** Default: basic, `admin` and `broker-password`. */
  readonly auth?: BrokerAuth;
  /** Serves https and asks for a client certificate. Default false. */
  readonly isSecure?: boolean;
  /** How often a plan whose name begins with `async` says "in progress". Default 1. */
  readonly asyncPolls?: number;
  /** What a poll says when an asynchronous deletion is through. Default 200 with "succeeded". */
  readonly endsDeletesWith?: 200 | 410;
  /** Below which path it serves `/v2`. Default: the root. */
  readonly prefix?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Whether requests are kept for the test to look at. Default true. */
  readonly isRecording?: boolean;
}

/** A request that the broker has seen. */
export interface SeenBrokerRequest {
  readonly method: string;
  /** Path and query, as sent, without the prefix. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real broker over HTTP that does what the specification says, or what the test says. */
export interface ScriptedBroker extends AsyncDisposable {
  /** Where to register it; with the prefix. */
  readonly url: string;
  readonly port: number;
  readonly tls: BrokerTls | undefined;
  readonly requests: readonly SeenBrokerRequest[];
  readonly instances: ReadonlyMap<string, BrokerInstance>;
  readonly bindings: ReadonlyMap<string, BrokerBinding>;
  /** The next calls that the rule fits are answered so. Earlier words come first. */
  misbehave(misbehaviour: Misbehaviour, rule?: ScriptRule): void;
  /** From now on by the book. */
  behave(): void;
  /** Ends the operation of an instance or binding. Default: it succeeds. */
  finish(id: string, state?: 'succeeded' | 'failed', details?: JsonObject): void;
  setCatalog(catalog: BrokerCatalog): void;
  /** Knows callers by any of these from now on. */
  accept(...auths: readonly BrokerAuth[]): void;
  forgetRequests(): void;
  /** Dies; keeps what it remembers. */
  stop(): Promise<void>;
  /** Comes back at the same address. */
  start(): Promise<void>;
}

const defaultAuth: BrokerAuth = { type: 'basic', username: 'admin', password: 'broker-password' };

/** Starts a broker on a free port of this machine: `await using broker = await startScriptedBroker()`. */
export async function startScriptedBroker(options: ScriptedBrokerOptions = {}): Promise<ScriptedBroker> {
  const { catalog = defaultCatalog(), asyncPolls = 1, endsDeletesWith = 200, isSecure = false, prefix = '' } = options;
  const { auth = defaultAuth, isRecording = true, port } = options;
  const state = new BrokerState({ catalog, asyncPolls, endsDeletesWith });
  const script = new BrokerScript();
  const requests: SeenBrokerRequest[] = [];
  let isAllowed = authChecker([auth]);

  const answerByTheBook = (request: IncomingMessage, seen: SeenBrokerRequest): OsbAnswer => {
    if (!isAllowed(request)) return answer(401, { description: 'not authenticated' });
    const version = request.headers['x-broker-api-version'];
    if (typeof version !== 'string' || !version.startsWith('2.'))
      return answer(412, { description: 'X-Broker-API-Version 2.x is needed' });
    return answerOsb(state, readRequest(seen));
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const seen = await see(request, prefix);
    if (isRecording) requests.push(seen);
    const step = script.take(seen.method, seen.url);
    const right = () => answerByTheBook(request, seen);
    if (step === undefined) sendAnswer(request, response, right());
    else await misbehave(step, { request, response, right, url: seen.url, state });
  };

  const server = new BrokerServer(
    (request, response) => void handle(request, response).catch(() => response.destroy()),
    { isSecure, ...(port === undefined ? {} : { port }) },
  );
  await server.start();
  return {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${server.port}${prefix}`,
    port: server.port,
    tls: server.tls,
    requests,
    instances: state.instances,
    bindings: state.bindings,
    misbehave: (misbehaviour, rule = {}) => script.add(misbehaviour, rule),
    behave: () => script.clear(),
    finish: (id, end, details) => state.finish(id, end, details),
    setCatalog: next => {
      state.catalog = next;
    },
    accept: (...auths) => {
      isAllowed = authChecker(auths);
    },
    forgetRequests: () => {
      requests.length = 0;
    },
    stop: () => server.stop(),
    start: () => server.start(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function see(request: IncomingMessage, prefix: string): Promise<SeenBrokerRequest> {
  const { method = '', url = '', headers } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const body = hasBody ? await readText(request) : '';
  return { method, url: url.startsWith(prefix) ? url.slice(prefix.length) : '/', headers, body };
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
