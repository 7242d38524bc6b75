import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { assertShape } from './answer-shapes.ts';
import type { Answer, Ask, Method, OsbTarget } from './osb-target.ts';

/** What must be answered. A bare number: this status, and whatever the broker says goes through as it is. */
export type Expected = number | ExpectedAnswer;

interface ExpectedAnswer {
  readonly status: number;
  /** The word in `error`. Default: any. */
  readonly error?: string;
  /** Chandlery answers this from its own knowledge: words may differ from the broker's, meaning may not. Default false. */
  readonly isOwn?: boolean;
  /** What Chandlery says where it stands in for a broker that talks nonsense. Default: the same. */
  readonly through?: number;
  /** The script makes the broker say what no broker should: its shape is not looked at. Default false. */
  readonly isOdd?: boolean;
}

/** From Chandlery's own knowledge, with the same meaning as the broker's. */
export const own = (status: number, error?: string): ExpectedAnswer => ({
  status,
  isOwn: true,
  ...(error === undefined ? {} : { error }),
});

/** One call of a story, and what came of it. */
export interface Said {
  readonly what: string;
  readonly isOwn: boolean;
  readonly answer: Answer;
}

/** A platform in one case, which remembers what it was answered. */
export class OsbPlayer {
  readonly target: OsbTarget;
  readonly said: Said[] = [];
  readonly #prefix: string;

  /** `prefix` makes ids unique. */
  constructor(target: OsbTarget, prefix: string) {
    this.target = target;
    this.#prefix = prefix;
  }

  get broker(): OsbTarget['broker'] {
    return this.target.broker;
  }

  get isDirect(): boolean {
    return this.target.isDirect;
  }

  /** An id that only this case has. */
  id(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  instance(name: string): string {
    return `/service_instances/${encodeURIComponent(this.id(name))}`;
  }

  binding(instance: string, name: string): string {
    return `${this.instance(instance)}/service_bindings/${encodeURIComponent(this.id(name))}`;
  }

  /** Sends a request, and asserts and remembers the answer. */
  async expect(expected: Expected, method: Method, path: string, ask: Ask = {}): Promise<JsonObject> {
    const wanted = typeof expected === 'number' ? { status: expected } : expected;
    const answer = await this.target.send(method, path, ask);
    const what = `${method} ${path}`;
    const status = this.isDirect ? wanted.status : (wanted.through ?? wanted.status);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (wanted.error !== undefined) assert.equal(answer.body?.['error'], wanted.error, `${what}: ${answer.text}`);
    if (!this.isDirect && wanted.isOdd !== true) assertShape({ method, path, answer });
    this.said.push({ what, isOwn: wanted.isOwn === true || wanted.through !== undefined, answer });
    return answer.body ?? {};
  }

  /** The answer to the last request. */
  get last(): Answer {
    const said = this.said.at(-1);
    assert.ok(said, 'nothing was asked yet');
    return said.answer;
  }

  /** The last request of this method that the broker has received. */
  heard(method: Method) {
    const request = this.broker.requests.findLast(seen => seen.method === method);
    assert.ok(request, `the broker has heard no ${method}`);
    return request;
  }

  /** The number of requests of this method about an id that the broker has received. */
  callsAbout(method: Method, name: string): number {
    const id = `/${encodeURIComponent(this.id(name))}`;
    return this.broker.requests.filter(seen => seen.method === method && seen.url.split('?')[0]?.endsWith(id)).length;
  }
}

/** A story that a platform lives through with a broker, wherever the broker is. */
export interface OsbCase {
  readonly why: string;
  /** Which broker. Default: the one by the book. */
  readonly broker?: 'plain' | 'gone' | 'impatient';
  readonly play: (osb: OsbPlayer) => Promise<void>;
}
