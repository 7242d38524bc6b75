import { createPublicKey } from 'node:crypto';
import type { JsonObject, JsonValue } from '@chandlery/api';
import { redact } from '@chandlery/platform';
import { notFound } from '../../../errors.ts';
import { operationView } from '../../../model/resources/operations.ts';
import type { Registry } from '../../../model/rows.ts';
import type { BrokerSettings } from '../../../settings.ts';
import type { Call, HttpResponse, Route } from '../transport/route.ts';

/** What `/v1/info` says besides keys. */
export interface ServiceManagerInfo {
  /** Where tokens come from. Default: empty, the landscape's own tokens are taken. */
  readonly tokenIssuerUrl?: string;
}

/** What the documents are made of. */
export interface DocumentDeps {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
  readonly info: ServiceManagerInfo;
}

/** `/v1/info`, `/v1/agents/versions`, `/v1/config` and operations of tenants. */
export function documentRoutes(deps: DocumentDeps): Route[] {
  const { settings } = deps;
  const info = infoDocument(deps);
  const config = redact({ ...settings, ...masked(settings) }) as JsonValue;
  return [
    {
      method: 'GET',
      path: '/v1/info',
      who: 'anybody',
      document: { tag: 'documents', summary: 'Says how to talk to the service manager', responses: { 200: 'object' } },
      respond: async () => ({ status: 200, body: info }),
    },
    {
      method: 'GET',
      path: '/v1/agents/versions',
      who: 'anybody',
      document: {
        tag: 'documents',
        summary: 'Says which versions of proxies are supported',
        responses: { 200: 'object' },
      },
      respond: async () => ({ status: 200, body: settings.agentVersions as JsonObject }),
    },
    {
      method: 'GET',
      path: '/v1/config',
      who: 'operators',
      document: { tag: 'documents', summary: 'Reads the settings, without secrets', responses: { 200: 'object' } },
      respond: async () => ({ status: 200, body: config }),
    },
    {
      method: 'GET',
      path: '/v1/tenants/:id/operations/:operationId',
      who: 'people',
      document: { tag: 'operations', summary: 'Reads an operation on a tenant', responses: { 200: 'operations' } },
      respond: call => readTenantOperation(call, deps),
    },
  ];
}

async function readTenantOperation({ params, caller }: Call, { registry }: DocumentDeps): Promise<HttpResponse> {
  const operation = registry.operations.get(params['operationId'] ?? '');
  const tenant = params['id'] ?? '';
  const isOfTenant = operation?.spec.resourceType === '/v1/tenants' && operation.spec.resourceId === tenant;
  const mayRead = caller.type !== 'user' || caller.may('get', 'operations', tenant);
  if (operation === undefined || !isOfTenant || !mayRead) throw notFound('operation');
  return { status: 200, body: operationView(operation) };
}

function infoDocument({ settings, info }: DocumentDeps): JsonObject {
  const { contextPrivateKey, contextSuccessorPublicKey } = settings;
  return {
    token_issuer_url: info.tokenIssuerUrl ?? '',
    token_basic_auth: true,
    service_manager_tenant_id: '',
    ...(contextPrivateKey === undefined ? {} : { context_rsa_public_key: publicHalf(contextPrivateKey) }),
    ...(contextSuccessorPublicKey === undefined ? {} : { context_successor_rsa_public_key: contextSuccessorPublicKey }),
  };
}

const publicHalf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

const hiddenSettings = ['contextPrivateKey', 'clientKey'] as const;

/** Keys by which we prove who we are: whether they are set may be seen, nothing else. */
const masked = (settings: BrokerSettings): Partial<BrokerSettings> =>
  Object.fromEntries(hiddenSettings.filter(name => settings[name] !== undefined).map(name => [name, '***']));
