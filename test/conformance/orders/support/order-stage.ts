import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import { type Body, type Stage, type StageRequest, setStage } from './stage.ts';

/** A real server whose own node executes orders. */
export interface OrderStage extends Stage {
  /** Creates a service and returns its URN. */
  service(fields: Readonly<Record<string, unknown>>): Promise<string>;
  /** Orders a service and returns the URN of the order. */
  order(service: string, parameters?: Readonly<Record<string, string>>, request?: StageRequest): Promise<string>;
  /** Waits until an order has a status. */
  until(order: string, ...statuses: readonly string[]): Promise<Body>;
  /** Orders a service and waits for its end. */
  run(service: string, parameters?: Readonly<Record<string, string>>): Promise<Body>;
  log(order: string): Promise<string>;
}

const basicSchema = 'urn:ivcap:schema:service.basic.1';

/** A controller of a basic service that runs a shell script; parameters are its arguments. */
export const shell = (script: string): Readonly<Record<string, unknown>> => ({
  controller: { $schema: basicSchema, image: 'alpine:3.7', command: ['sh', '-c', script, 'service'] },
});

/** A parameter of type string. */
export const text = (name: string, more: object = {}): object => ({ name, type: 'string', description: name, ...more });

const endings = ['succeeded', 'failed', 'error', 'cancelled'];

/** Starts a server before the tests of the file, and stops it after them. */
export function setOrderStage(): OrderStage {
  const stage = setStage({ localClusters: 'on' });
  const until: OrderStage['until'] = async (order, ...statuses) => {
    let body: Body | undefined;
    await eventually(
      async () => {
        ({ body } = await stage.expect(200, 'GET', `/1/orders/${order}`));
        return statuses.includes(body.status);
      },
      { what: `${order} is ${statuses.join(' or ')}`, timeoutMs: 60_000 },
    );
    return body ?? assert.fail();
  };
  const order: OrderStage['order'] = async (service, parameters = {}, request = {}) => {
    const values = Object.entries(parameters).map(([name, value]) => ({ name, value }));
    const { body } = await stage.expect(200, 'POST', '/1/orders', {
      body: { service, parameters: values },
      ...request,
    });
    return body.id;
  };
  return {
    get landscape() {
      return stage.landscape;
    },
    token: stage.token,
    ask: stage.ask,
    expect: stage.expect,
    kube: stage.kube,
    service: async fields => {
      const body = { name: 'test', description: 'a test', parameters: [], ...fields };
      return (await stage.expect(201, 'POST', '/1/services2', { body })).body.id;
    },
    order,
    until,
    run: async (service, parameters) => until(await order(service, parameters), ...endings),
    log: async id => (await stage.expect(200, 'GET', `/1/orders/${id}/logs`)).text,
  };
}
