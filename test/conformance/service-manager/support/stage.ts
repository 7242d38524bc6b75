import { after, before } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { Agent, request } from 'undici';
import type { Outcome } from '../endpoint-outcomes.ts';
import { type Answer, type Ask, authorizationOf, type Body, type Method, readAnswer, type SeenAnswer } from './http.ts';

/**
 * Settings under which every wait of the service manager is short. The limit for polling is the plan's own in the tests that
 * are about it.
 */
const quickSettings = {
  pollingIntervalMs: 30,
  mitigationIntervalMs: 100,
  mitigationLongIntervalMs: 200,
  requestTimeoutMs: 20_000,
};

/** A real server and everything that was asked of it. */
export interface Stage {
  readonly landscape: TestLandscape;
  /** Every answer so far, oldest first. */
  readonly seen: readonly SeenAnswer[];
  /** Remembers an answer that did not come by `ask`. */
  saw(answer: SeenAnswer): void;
  /** Outcomes that tests have shown. */
  readonly shown: Set<Outcome>;
  /** Disposed of before the server ends. */
  readonly stack: AsyncDisposableStack;
  /** A name that nothing else has. */
  name(word: string): string;
  ask(method: Method, path: string, asked?: Ask): Promise<Answer>;
  get(path: string, asked?: Ask): Promise<Answer>;
  post(path: string, body: Body, asked?: Ask): Promise<Answer>;
  patch(path: string, body: Body, asked?: Ask): Promise<Answer>;
  put(path: string, body: Body, asked?: Ask): Promise<Answer>;
  delete(path: string, asked?: Ask): Promise<Answer>;
}

/** Starts a server before the tests of the surrounding `describe`, and ends it after them. */
export function setStage(settings: Body = {}): Stage {
  const seen: SeenAnswer[] = [];
  const stack = new AsyncDisposableStack();
  let landscape: TestLandscape | undefined;
  let agent: Agent | undefined;
  let count = 0;
  before(async () => {
    const all = JSON.stringify({ ...quickSettings, ...settings });
    landscape = await startTestLandscape({ env: { CHANDLERY_SERVICE_MANAGER: all } });
    agent = new Agent({ connect: { ca: landscape.ca } });
  });
  after(async () => {
    await agent?.destroy();
    await landscape?.[Symbol.asyncDispose]();
    await stack.disposeAsync();
  });
  const running = (): TestLandscape => {
    if (landscape === undefined) throw new Error('the server has not started yet');
    return landscape;
  };
  const ask = async (method: Method, path: string, asked: Ask = {}): Promise<Answer> => {
    const { url, token } = running();
    const response = await request(url + path, {
      method,
      ...(agent === undefined ? {} : { dispatcher: agent }),
      headers: {
        ...authorizationOf(asked.as, token),
        ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(asked.body === undefined ? {} : { body: textOf(asked.body) }),
    });
    const answer = await readAnswer(response);
    seen.push({ method, path, status: answer.status, error: answer.body['error'] });
    return answer;
  };
  return {
    get landscape() {
      return running();
    },
    seen,
    saw: answer => void seen.push(answer),
    shown: new Set(),
    stack,
    name: word => `${word}-${++count}`,
    ask,
    get: (path, asked) => ask('GET', path, asked),
    post: (path, body, asked) => ask('POST', path, { body, ...asked }),
    patch: (path, body, asked) => ask('PATCH', path, { body, ...asked }),
    put: (path, body, asked) => ask('PUT', path, { body, ...asked }),
    delete: (path, asked) => ask('DELETE', path, asked),
  };
}

const textOf = (body: Body | string): string => (typeof body === 'string' ? body : JSON.stringify(body));
