import { type BrokerIdentity, bind, type Ids, inTenant, osbHeaders, provision, tenant } from './brokers-world.ts';
import type { CallOptions } from './caller.ts';

/** Statuses of authenticated identities, in the order of {@link knownIdentities}. */
type Statuses = readonly [
  credential: number,
  A: number,
  B: number,
  T: number,
  wendy: number,
  vera: number,
  bob: number,
  operator: number,
];

export const knownIdentities = ['credential', 'A', 'B', 'T', 'wendy', 'vera', 'bob', 'operator'] as const;

/** Requests without credentials, and with wrong ones. */
export const unknownIdentities: readonly BrokerIdentity[] = ['nobody', 'wrong password', 'wrong token'];

/** One request, and who gets what. Those who are not known get 401 everywhere but on public routes. */
export interface BrokerRow {
  /** `GET /v1/platforms/{id}`, as the OpenAPI document has it. */
  readonly route: string;
  /** What its parameters are, by the names of the world's ids. Others stand for themselves. */
  readonly at?: readonly string[];
  readonly options?: CallOptions;
  readonly query?: string;
  readonly isPublic?: boolean;
  readonly statuses: Statuses;
}

/** Where a row leads in a world. */
export function pathOf({ route, at = [], query = '' }: BrokerRow, ids: Ids): string {
  const values = at.map(name => ids[name] ?? name);
  const [, template = ''] = route.split(' ');
  return `${template.replace(/\{\w+\}/g, () => values.shift() ?? 'x')}${query}`;
}

const all: Statuses = [401, 200, 200, 200, 200, 200, 200, 200];
const people: Statuses = [401, 401, 401, 401, 200, 200, 200, 200];
/** For all identities but platforms, with these statuses. */
const forPeople = (wendy: number, vera: number, bob: number, operator: number): Statuses => [
  ...([401, 401, 401, 401] as const),
  ...([wendy, vera, bob, operator] as const),
];
/** For the operator alone; tenants do not learn that it is there. */
const operators = forPeople(404, 404, 404, 200);

/** Identities with the right to write get a conflict; nothing changes. */
const stale = { 'if-match': '"0"' };
const patch: CallOptions = { method: 'PATCH', body: {}, headers: stale };
const deletion: CallOptions = { method: 'DELETE', headers: stale };
const empty: CallOptions = { body: {}, headers: inTenant };

const platformRows: readonly BrokerRow[] = [
  { route: 'GET /v1/platforms', statuses: all },
  { route: 'POST /v1/platforms', options: empty, statuses: forPeople(403, 403, 403, 400) },
  {
    route: 'DELETE /v1/platforms',
    query: "?dry_run=true&fieldQuery=name%20ne%20''",
    options: deletion,
    statuses: people,
  },
  { route: 'GET /v1/platforms/{id}', at: ['A'], statuses: [401, 200, 404, 404, 404, 404, 404, 200] },
  { route: 'GET /v1/platforms/{id}', at: ['T'], statuses: [401, 404, 404, 200, 404, 404, 404, 200] },
  { route: 'GET /v1/platforms/{id}', at: ['service-manager'], statuses: [401, 404, 404, 404, 404, 404, 404, 200] },
  { route: 'PATCH /v1/platforms/{id}', at: ['A'], options: patch, statuses: forPeople(404, 404, 404, 412) },
  {
    route: 'PATCH /v1/platforms/{id}',
    at: ['T'],
    query: '?regenerateCredentials=true',
    options: patch,
    statuses: forPeople(404, 404, 404, 412),
  },
  { route: 'DELETE /v1/platforms/{id}', at: ['A'], options: deletion, statuses: forPeople(404, 404, 404, 412) },
  { route: 'GET /v1/platforms/{id}/operations/{operationId}', at: ['A', 'operation of A'], statuses: operators },
];

const brokerRows: readonly BrokerRow[] = [
  { route: 'GET /v1/service_brokers', statuses: all },
  { route: 'POST /v1/service_brokers', options: empty, statuses: forPeople(403, 403, 403, 400) },
  {
    route: 'DELETE /v1/service_brokers',
    query: "?dry_run=true&fieldQuery=name%20ne%20''",
    options: deletion,
    statuses: people,
  },
  { route: 'GET /v1/service_brokers/{id}', at: ['shop'], statuses: all },
  { route: 'GET /v1/service_brokers/{id}', at: ['depot'], statuses: [401, 404, 200, 404, 200, 200, 200, 200] },
  { route: 'GET /v1/service_brokers/{id}', at: ['vault'], statuses: [401, 404, 404, 200, 404, 404, 404, 200] },
  { route: 'PATCH /v1/service_brokers/{id}', at: ['shop'], options: patch, statuses: forPeople(403, 403, 403, 412) },
  { route: 'PATCH /v1/service_brokers/{id}', at: ['vault'], options: patch, statuses: forPeople(404, 404, 404, 412) },
  {
    route: 'DELETE /v1/service_brokers/{id}',
    at: ['shop'],
    options: deletion,
    statuses: forPeople(403, 403, 403, 412),
  },
  {
    route: 'GET /v1/service_brokers/{id}/operations/{operationId}',
    at: ['shop', 'operation of shop'],
    statuses: operators,
  },
];

const visibilityRows: readonly BrokerRow[] = [
  { route: 'GET /v1/visibilities', statuses: all },
  { route: 'POST /v1/visibilities', options: empty, statuses: forPeople(403, 403, 403, 400) },
  {
    route: 'DELETE /v1/visibilities',
    query: "?dry_run=true&fieldQuery=id%20ne%20''",
    options: deletion,
    statuses: people,
  },
  { route: 'GET /v1/visibilities/{id}', at: ['depot visibility'], statuses: [401, 404, 200, 404, 200, 200, 200, 200] },
  { route: 'GET /v1/visibilities/{id}', at: ['vault visibility'], statuses: [401, 404, 404, 200, 404, 404, 404, 200] },
  {
    route: 'PATCH /v1/visibilities/{id}',
    at: ['depot visibility'],
    options: patch,
    statuses: forPeople(403, 403, 403, 412),
  },
  {
    route: 'DELETE /v1/visibilities/{id}',
    at: ['vault visibility'],
    options: deletion,
    statuses: forPeople(404, 404, 404, 412),
  },
  {
    route: 'GET /v1/visibilities/{id}/operations/{operationId}',
    at: ['depot visibility', 'operation of depot visibility'],
    statuses: operators,
  },
];

const catalogRows: readonly BrokerRow[] = ['offering', 'plan'].flatMap(kind => [
  { route: `GET /v1/service_${kind}s`, statuses: all },
  { route: `GET /v1/service_${kind}s/{id}`, at: [`shop ${kind}`], statuses: all },
  { route: `GET /v1/service_${kind}s/{id}`, at: [`depot ${kind}`], statuses: [401, 404, 200, 404, 200, 200, 200, 200] },
  // Members read what is offered in their own tenant.
  { route: `GET /v1/service_${kind}s/{id}`, at: [`vault ${kind}`], statuses: [401, 404, 404, 200, 200, 200, 404, 200] },
  {
    route: `PATCH /v1/service_${kind}s/{id}`,
    at: [`depot ${kind}`],
    options: patch,
    statuses: forPeople(403, 403, 403, 412),
  },
  {
    route: `PATCH /v1/service_${kind}s/{id}`,
    at: [`vault ${kind}`],
    options: patch,
    statuses: forPeople(403, 403, 404, 412),
  },
  {
    route: `GET /v1/service_${kind}s/{id}/operations/{operationId}`,
    at: [`shop ${kind}`, 'operation of shop'],
    statuses: forPeople(404, 404, 404, 404),
  },
]);

const operationRows: readonly BrokerRow[] = [
  { route: 'GET /v1/operations', statuses: people },
  { route: 'GET /v1/operations/{id}', at: ['operation of instance-of-a'], statuses: operators },
  { route: 'GET /v1/operations/{id}', at: ['operation of wi'], statuses: forPeople(200, 200, 404, 200) },
  {
    route: 'DELETE /v1/operations/{id}',
    at: ['operation of wi'],
    options: deletion,
    statuses: forPeople(403, 403, 404, 412),
  },
  {
    route: 'DELETE /v1/operations/{id}',
    at: ['operation of instance-of-a'],
    options: deletion,
    statuses: forPeople(404, 404, 404, 412),
  },
  {
    route: 'POST /v1/operations/{id}/retry',
    at: ['operation of wi'],
    options: empty,
    statuses: forPeople(403, 403, 404, 409),
  },
  {
    route: 'POST /v1/operations/{id}/retry',
    at: ['operation of instance-of-a'],
    options: empty,
    statuses: forPeople(404, 404, 404, 409),
  },
];

/** What a platform made, and what the tenant made: the same rules for instances and bindings. */
const ownedRows = (type: string, { a, t, own }: { a: string; t: string; own: string }): readonly BrokerRow[] => [
  { route: `GET /v1/${type}`, statuses: all },
  { route: `POST /v1/${type}`, options: empty, statuses: forPeople(400, 403, 403, 400) },
  { route: `GET /v1/${type}/{id}`, at: [a], statuses: [401, 200, 404, 404, 404, 404, 404, 200] },
  { route: `GET /v1/${type}/{id}`, at: [t], statuses: [401, 404, 404, 200, 200, 200, 404, 200] },
  { route: `GET /v1/${type}/{id}`, at: [own], statuses: [401, 404, 404, 404, 200, 200, 404, 200] },
  { route: `PATCH /v1/${type}/{id}`, at: [a], options: patch, statuses: forPeople(404, 404, 404, 412) },
  { route: `PATCH /v1/${type}/{id}`, at: [own], options: patch, statuses: forPeople(412, 403, 404, 412) },
  { route: `DELETE /v1/${type}/{id}`, at: [a], options: deletion, statuses: forPeople(404, 404, 404, 412) },
  { route: `DELETE /v1/${type}/{id}`, at: [own], options: deletion, statuses: forPeople(412, 403, 404, 412) },
  {
    route: `DELETE /v1/${type}/{id}`,
    at: [own],
    query: '?cascade=true&force=true',
    options: deletion,
    statuses: forPeople(412, 403, 404, 412),
  },
  { route: `GET /v1/${type}/{id}/operations/{operationId}`, at: [a, `operation of ${a}`], statuses: operators },
  {
    route: `GET /v1/${type}/{id}/operations/{operationId}`,
    at: [own, `operation of ${own}`],
    statuses: forPeople(200, 200, 404, 200),
  },
  {
    route: `GET /v1/${type}/{id}/operations/{operationId}`,
    at: [own, `operation of ${a}`],
    statuses: forPeople(404, 404, 404, 404),
  },
  { route: `GET /v1/${type}/{id}/parameters`, at: [a], statuses: operators },
  { route: `GET /v1/${type}/{id}/parameters`, at: [own], statuses: forPeople(200, 403, 404, 200) },
];

const documentRows: readonly BrokerRow[] = [
  ...['/v1/info', '/v1/agents/versions', '/v1/monitor/health'].map(path => ({
    route: `GET ${path}`,
    isPublic: true,
    statuses: [200, ...all.slice(1)] as unknown as Statuses,
  })),
  { route: 'GET /v1/config', statuses: forPeople(403, 403, 403, 200) },
  { route: 'GET /v1/config/logging', statuses: forPeople(403, 403, 403, 200) },
  {
    route: 'PUT /v1/config/logging',
    options: { method: 'PUT', body: { level: 'nonsense' } },
    statuses: forPeople(403, 403, 403, 400),
  },
  {
    route: 'GET /v1/tenants/{id}/operations/{operationId}',
    at: [tenant, 'operation of wi'],
    statuses: forPeople(404, 404, 404, 404),
  },
  {
    route: 'PUT /v1/credentials',
    options: { method: 'PUT', body: {} },
    statuses: [401, 400, 400, 400, 401, 401, 401, 401],
  },
  {
    route: 'PUT /v1/credentials/{id}/activate',
    at: ['credential'],
    options: { method: 'PUT', body: {} },
    statuses: [401, 200, 404, 404, 401, 401, 401, 401],
  },
  // Platforms are authenticated, and get an error for the missing upgrade header.
  { route: 'GET /v1/notifications', statuses: [401, 400, 400, 400, 401, 401, 401, 401] },
];

const osb: CallOptions = { headers: osbHeaders };
const instance = '/v1/osb/{brokerId}/v2/service_instances/{instanceId}';
const binding = `${instance}/service_bindings/{bindingId}`;
const a1 = ['shop', 'instance-of-a'];
const ab = [...a1, 'binding-of-a'];
const ids = '?service_id=database-id&plan_id=database-sync';
/** Of A, who has credentials of its own for this broker and must use them. The operator acts for the own platform. */
const ofA = (status: number): Statuses => [status, 401, 404, 404, 401, 401, 401, 404];

const osbRows = (secrets: { readonly provision: string; readonly bind: string }): readonly BrokerRow[] => [
  {
    route: 'GET /v1/osb/{brokerId}/v2/catalog',
    at: ['shop'],
    options: osb,
    statuses: [200, 401, 200, 200, 401, 401, 401, 200],
  },
  {
    route: 'GET /v1/osb/{brokerId}/v2/catalog',
    at: ['depot'],
    options: osb,
    statuses: [401, 200, 200, 200, 401, 401, 401, 200],
  },
  {
    route: 'GET /v1/osb/{brokerId}/v2/catalog',
    at: ['vault'],
    options: osb,
    statuses: [401, 404, 404, 200, 401, 401, 401, 200],
  },
  {
    route: 'GET /v1/osb/{brokerId}/v2/catalog',
    at: ['no-such'],
    options: osb,
    statuses: [401, 404, 404, 404, 401, 401, 401, 404],
  },
  { route: `GET ${instance}`, at: a1, query: ids, options: osb, statuses: ofA(200) },
  { route: `PUT ${instance}`, at: a1, options: provision('', { secret: secrets.provision }), statuses: ofA(200) },
  {
    route: `PATCH ${instance}`,
    at: a1,
    options: { method: 'PATCH', headers: osbHeaders, body: { service_id: 'database-id' } },
    statuses: ofA(200),
  },
  {
    route: `DELETE ${instance}`,
    at: ['shop', 'instance-of-a'],
    query: '?service_id=database-id',
    options: { ...osb, method: 'DELETE' },
    statuses: ofA(400),
  },
  { route: `GET ${instance}/last_operation`, at: a1, query: ids, options: osb, statuses: ofA(200) },
  { route: `GET ${binding}`, at: ab, query: ids, options: osb, statuses: ofA(200) },
  { route: `PUT ${binding}`, at: ab, options: bind('', { secret: secrets.bind }), statuses: ofA(200) },
  {
    route: `DELETE ${binding}`,
    at: ab,
    query: '?service_id=database-id',
    options: { ...osb, method: 'DELETE' },
    statuses: ofA(400),
  },
  { route: `GET ${binding}/last_operation`, at: ab, query: ids, options: osb, statuses: ofA(200) },
  { route: `POST ${binding}/adapt_credentials`, at: ab, options: { ...osb, body: {} }, statuses: ofA(200) },
];

/** Every route of the service manager. The secrets are what A's instance and binding were made with. */
export const brokersTable = (secrets: { readonly provision: string; readonly bind: string }): readonly BrokerRow[] => [
  ...platformRows,
  ...brokerRows,
  ...visibilityRows,
  ...catalogRows,
  ...operationRows,
  ...ownedRows('service_instances', { a: 'instance-of-a', t: 'instance-of-t', own: 'wi' }),
  { route: 'POST /v1/service_instances/import', options: empty, statuses: forPeople(403, 403, 403, 400) },
  ...ownedRows('service_bindings', { a: 'binding-of-a', t: 'binding-of-t', own: 'wb' }),
  ...documentRows,
  ...osbRows(secrets),
];
