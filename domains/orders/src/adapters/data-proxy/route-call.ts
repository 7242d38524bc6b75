import { badRequest, OrdersError } from '../../errors.ts';
import { nextJob, postEvent, postResult } from './job-routes.ts';
import type { ProxyCall, ProxyDeps, ProxyResponse } from './proxy-call.ts';
import { acknowledge, borrow, createQueue, queueMessages, readMessage } from './queue-routes.ts';
import { postStorage, readArtifact, readExternal } from './storage-routes.ts';

/** Carries out a request of a container. Throws `OrdersError`. */
export async function routeCall(deps: ProxyDeps, call: ProxyCall): Promise<ProxyResponse> {
  const { method, path } = call;
  const [first = '', second = '', third = '', fourth = ''] = path;
  if (isRead(method) && (first === 'readyz' || first === 'healthz')) return { status: 200, body: { status: 'ok' } };
  if (isRead(method) && first.startsWith('urn:ivcap:artifact:')) return readArtifact(deps, call, first);
  if (isRead(method) && first.startsWith('urn:ivcap:message:')) return readMessage(deps, call, first);
  if (method === 'GET' && first.startsWith('urn:ivcap:queue:')) return borrow(deps, call, first);
  if (method === 'DELETE' && first.startsWith('urn:ivcap:queue:')) return acknowledge(deps, call, first);
  if (method === 'POST' && first === '') return postStorage(deps, call);
  if (method === 'GET' && first === 'cache') return readExternal(deps, call, second);
  if (method === 'GET' && first === 'next_job') return nextJob(deps, call);
  if (method === 'POST' && first === 'results') return postResult(deps, call, second);
  if (method === 'POST' && first === 'events') return postEvent(deps, call, second);
  if (method === 'GET' && first === '1' && second === 'secret') return readSecret(deps, call);
  if (method === 'POST' && first === '1' && second === 'queues' && third === '') return createQueue(deps, call);
  if (first === '1' && second === 'queues' && fourth === 'messages' && (method === 'GET' || method === 'POST'))
    return queueMessages(deps, call, third);
  throw new OrdersError('not-found', `There is no ${method} /${path.join('/')}`);
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** A secret of the tenant, with its value. */
async function readSecret({ actions }: ProxyDeps, { query, tenant }: ProxyCall): Promise<ProxyResponse> {
  const name = query.get('secret-name') ?? '';
  const type = query.get('secret-type') ?? 'raw';
  if (name === '') throw badRequest('secret-name is missing');
  const row = actions.secrets.find(tenant, { name, type });
  const value = row && (await actions.secrets.readValue(row));
  if (row === undefined || value === undefined)
    throw new OrdersError('not-found', `There is no secret '${name}'`, { id: name });
  const expiry = row.spec.expiresAt === undefined ? 0 : Math.floor(Date.parse(row.spec.expiresAt) / 1000);
  return {
    status: 200,
    body: { 'secret-name': name, 'secret-type': type, 'secret-value': value, 'expiry-time': expiry },
  };
}
