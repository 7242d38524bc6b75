import type { DocumentedRoute } from './openapi-document.ts';

const instance = '/v1/osb/:brokerId/v2/service_instances/:instanceId';
const binding = `${instance}/service_bindings/:bindingId`;
const ids = ['service_id', 'plan_id'];

interface DocumentedCall {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters?: readonly string[];
  readonly hasBody?: boolean;
  readonly statuses: readonly number[];
}

const osbOperations: readonly DocumentedCall[] = [
  {
    method: 'GET',
    path: '/v1/osb/:brokerId/v2/catalog',
    summary: 'What the platform may use of a broker',
    statuses: [200],
  },
  { method: 'GET', path: instance, summary: 'Fetches an instance', parameters: ids, statuses: [200] },
  {
    method: 'PUT',
    path: instance,
    summary: 'Makes an instance',
    parameters: ['accepts_incomplete'],
    hasBody: true,
    statuses: [200, 201, 202],
  },
  {
    method: 'PATCH',
    path: instance,
    summary: 'Changes an instance',
    parameters: ['accepts_incomplete'],
    hasBody: true,
    statuses: [200, 202],
  },
  {
    method: 'DELETE',
    path: instance,
    summary: 'Ends an instance',
    parameters: [...ids, 'accepts_incomplete'],
    statuses: [200, 202, 410],
  },
  {
    method: 'GET',
    path: `${instance}/last_operation`,
    summary: 'How an operation on an instance goes',
    parameters: [...ids, 'operation'],
    statuses: [200, 410],
  },
  { method: 'GET', path: binding, summary: 'Fetches a binding', parameters: ids, statuses: [200] },
  {
    method: 'PUT',
    path: binding,
    summary: 'Makes a binding',
    parameters: ['accepts_incomplete'],
    hasBody: true,
    statuses: [200, 201, 202],
  },
  {
    method: 'DELETE',
    path: binding,
    summary: 'Ends a binding',
    parameters: [...ids, 'accepts_incomplete'],
    statuses: [200, 202, 410],
  },
  {
    method: 'GET',
    path: `${binding}/last_operation`,
    summary: 'How an operation on a binding goes',
    parameters: [...ids, 'operation'],
    statuses: [200, 410],
  },
  {
    method: 'POST',
    path: `${binding}/adapt_credentials`,
    summary: 'Asks for credentials in another form',
    hasBody: true,
    statuses: [200],
  },
];

const osbRoute = ({
  method,
  path,
  summary,
  parameters = [],
  hasBody = false,
  statuses,
}: DocumentedCall): DocumentedRoute => ({
  method,
  path,
  who: 'platforms',
  document: {
    tag: 'osb',
    summary,
    parameters: ['X-Broker-API-Version', ...parameters],
    ...(hasBody ? { body: 'object' } : {}),
    responses: Object.fromEntries(statuses.map(status => [status, 'object'])),
  },
});

/** Routes that go past the framework and are therefore not in the table of routes. */
export const otherRoutes: readonly DocumentedRoute[] = [
  ...osbOperations.map(osbRoute),
  {
    method: 'GET',
    path: '/v1/notifications',
    who: 'platforms',
    document: {
      tag: 'notifications',
      summary: 'What happens to brokers and visibilities, as a WebSocket or as a stream of lines',
      parameters: ['last_notification_revision'],
      responses: { 101: '', 200: '' },
    },
  },
];
