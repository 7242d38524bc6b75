import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LandscapeAnswer, TestLandscape } from '@chandlery/testing';
import { patience } from './story-step.ts';

/** What is sent besides the path. */
interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
}

/** A JSON object. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The service manager as its operator uses it: a request without a response is retried with the same idempotency key.
 */
export class Manager {
  readonly landscape: TestLandscape;

  constructor(landscape: TestLandscape) {
    this.landscape = landscape;
  }

  /** Asks until there is an answer, whichever it is. */
  async ask(path: string, asked: Asked = {}): Promise<LandscapeAnswer> {
    const headers: Record<string, string> = asked.method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    for (const deadline = performance.now() + patience.timeoutMs; performance.now() < deadline; ) {
      const answer = await this.landscape.request(path, { ...asked, headers }).catch(() => undefined);
      if (answer !== undefined && answer.status !== 503) return answer;
      await sleep(50);
    }
    throw new Error(`${asked.method ?? 'GET'} ${path}: nobody answers`);
  }

  /** Asks until there is an answer, which must be a good one. */
  async call(path: string, asked: Asked = {}): Promise<LandscapeAnswer> {
    const answer = await this.ask(path, asked);
    if (answer.status >= 400) throw new Error(`${asked.method ?? 'GET'} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async post(path: string, body: unknown): Promise<Row> {
    return (await this.call(path, { method: 'POST', body })).json();
  }

  async list(path: string): Promise<readonly Row[]> {
    const { items } = (await this.call(path)).json<{ items?: readonly Row[] }>();
    return items ?? [];
  }

  /** The id of a plan by the names in its catalog. */
  async planId(offeringName: string, planName: string): Promise<string> {
    const offerings = await this.list('/v1/service_offerings');
    const offering = offerings.find(({ name }) => name === offeringName);
    const plans = await this.list('/v1/service_plans');
    const isSuch = ({ name, service_offering_id }: Row) =>
      name === planName && service_offering_id === offering?.['id'];
    const id = plans.find(isSuch)?.['id'];
    if (typeof id !== 'string') throw new Error(`there is no plan ${offeringName}/${planName}`);
    return id;
  }
}
