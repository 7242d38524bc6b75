import type { JsonObject } from '@chandlery/api';
import type { OsbChange, OsbOutcome } from '../model/outcomes/osb-outcome.ts';
import type { BrokerConnection } from '../ports.ts';
import { type OsbClientOptions, type OsbExchange, sendExchange } from './send-exchange.ts';

interface InstanceRef {
  readonly instanceId: string;
}

interface BindingRef extends InstanceRef {
  readonly bindingId: string;
}

interface Change {
  readonly acceptsIncomplete: boolean;
  readonly body: JsonObject;
  /** The value of `X-Broker-API-Originating-Identity`. Default: the request has no originating user. */
  readonly identity?: string;
}

interface Deletion extends Catalogued {
  readonly acceptsIncomplete: boolean;
  readonly identity?: string;
}

/** The broker's own ids of offering and plan. */
interface Catalogued {
  readonly service_id: string;
  readonly plan_id: string;
}

interface Poll extends Catalogued {
  /** What is under way. */
  readonly verb: OsbChange;
  /** As the broker named it. */
  readonly operation?: string;
}

/** Speaks OSB to one broker. Everything that can happen is an outcome; only the signal's reason is thrown. */
export interface OsbClient {
  catalog(): Promise<OsbOutcome>;
  provision(request: InstanceRef & Change): Promise<OsbOutcome>;
  update(request: InstanceRef & Change): Promise<OsbOutcome>;
  deprovision(request: InstanceRef & Deletion): Promise<OsbOutcome>;
  bind(request: BindingRef & Change): Promise<OsbOutcome>;
  unbind(request: BindingRef & Deletion): Promise<OsbOutcome>;
  fetchInstance(request: InstanceRef & Partial<Catalogued>): Promise<OsbOutcome>;
  fetchBinding(request: BindingRef & Partial<Catalogued>): Promise<OsbOutcome>;
  pollInstance(request: InstanceRef & Poll): Promise<OsbOutcome>;
  pollBinding(request: BindingRef & Poll): Promise<OsbOutcome>;
}

/** Makes a client for the requests of one operation. */
export function createOsbClient(connection: BrokerConnection, options: OsbClientOptions): OsbClient {
  const send = (exchange: OsbExchange) => sendExchange(connection, options, exchange);
  const read = (path: string, query: OsbExchange['query'] = {}) => send({ verb: 'read', method: 'GET', path, query });
  const remove = (verb: OsbChange, path: string, { acceptsIncomplete, identity, ...ids }: Deletion) =>
    send({ verb, method: 'DELETE', path, acceptsIncomplete, identity, query: catalogued(ids) });
  const poll = (path: string, { verb, operation, ...ids }: Poll) =>
    send({
      verb: `poll-${verb}`,
      method: 'GET',
      path: `${path}/last_operation`,
      query: { ...catalogued(ids), operation },
    });
  return {
    catalog: () => read('/v2/catalog'),
    provision: ({ instanceId, ...change }) =>
      send({ verb: 'provision', method: 'PUT', path: instancePath(instanceId), ...change }),
    update: ({ instanceId, ...change }) =>
      send({ verb: 'update', method: 'PATCH', path: instancePath(instanceId), ...change }),
    deprovision: ({ instanceId, ...deletion }) => remove('deprovision', instancePath(instanceId), deletion),
    bind: ({ instanceId, bindingId, ...change }) =>
      send({ verb: 'bind', method: 'PUT', path: bindingPath(instanceId, bindingId), ...change }),
    unbind: ({ instanceId, bindingId, ...deletion }) => remove('unbind', bindingPath(instanceId, bindingId), deletion),
    fetchInstance: ({ instanceId, ...ids }) => read(instancePath(instanceId), catalogued(ids)),
    fetchBinding: ({ instanceId, bindingId, ...ids }) => read(bindingPath(instanceId, bindingId), catalogued(ids)),
    pollInstance: ({ instanceId, ...request }) => poll(instancePath(instanceId), request),
    pollBinding: ({ instanceId, bindingId, ...request }) => poll(bindingPath(instanceId, bindingId), request),
  };
}

const instancePath = (id: string): string => `/v2/service_instances/${encodeURIComponent(id)}`;

const bindingPath = (instanceId: string, id: string): string =>
  `${instancePath(instanceId)}/service_bindings/${encodeURIComponent(id)}`;

/** Only these two, whatever else the caller's object has. */
const catalogued = ({ service_id, plan_id }: Partial<Catalogued>) => ({ service_id, plan_id });
