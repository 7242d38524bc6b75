import { peerUnavailable } from '../../port-errors.ts';
import type { ClientCredentials, ClientRequest, IdentityProvider } from '../../ports.ts';
import type { PeerResponse } from '../peer-http.ts';
import { checkClientRequest } from './client-request.ts';
import { type KeycloakOptions, KeycloakSession } from './keycloak-session.ts';

const json = { 'content-type': 'application/json', accept: 'application/json' };

/** Clients in a realm of Keycloak, by its admin API. */
export class KeycloakIdentityProvider implements IdentityProvider, AsyncDisposable {
  readonly #session: KeycloakSession;

  constructor(options: KeycloakOptions) {
    this.#session = new KeycloakSession(options);
  }

  async ensureClient(request: ClientRequest): Promise<ClientCredentials> {
    checkClientRequest(request);
    const { clientId } = request;
    const id = (await this.#findId(clientId)) ?? (await this.#create(request));
    return { clientId, clientSecret: await this.#readSecret(clientId, id) };
  }

  async removeClient(clientId: string): Promise<void> {
    const id = await this.#findId(clientId);
    if (id === undefined) return;
    const response = await this.#session.call(`clients/${id}`, { method: 'DELETE' });
    if (response.status >= 300 && response.status !== 404)
      throw this.#failure(response, `remove the client ${clientId}`);
  }

  /** Keycloak's own id of a client. */
  async #findId(clientId: string): Promise<string | undefined> {
    const response = await this.#session.call('clients', { parameters: [['clientId', clientId]], headers: json });
    if (response.status !== 200) throw this.#failure(response, `find the client ${clientId}`);
    const clients = parseArray(response.text);
    const client = clients.find(item => item['clientId'] === clientId);
    return typeof client?.['id'] === 'string' ? encodeURIComponent(client['id']) : undefined;
  }

  /** Two replicas may do this at once: one of them meets the client of the other, and finds it. */
  async #create(request: ClientRequest): Promise<string> {
    const body = JSON.stringify(clientRepresentation(request));
    const response = await this.#session.call('clients', { method: 'POST', headers: json, body });
    if (response.status !== 201 && response.status !== 409)
      throw this.#failure(response, `make the client ${request.clientId}`);
    const id = await this.#findId(request.clientId);
    if (id === undefined)
      throw peerUnavailable(`Keycloak made the client ${request.clientId} and does not show it yet`);
    return id;
  }

  async #readSecret(clientId: string, id: string): Promise<string> {
    const doing = `read the secret of the client ${clientId}`;
    const response = await this.#session.call(`clients/${id}/client-secret`, { headers: json });
    // It was removed meanwhile: the next attempt creates it again.
    if (response.status === 404) throw peerUnavailable(`cannot ${doing}: it no longer exists`);
    if (response.status !== 200) throw this.#failure(response, doing);
    const { value } = this.#session.http.parse(response, doing);
    if (typeof value !== 'string' || value === '') throw peerUnavailable(`cannot ${doing}: it has none`);
    return value;
  }

  #failure(response: PeerResponse, doing: string): Error {
    return this.#session.http.failure(response, doing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

function parseArray(text: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(item => (item ?? {}) as Record<string, unknown>);
  } catch {
    // Falls through: what is no JSON is no list either.
  }
  throw peerUnavailable('Keycloak answered no list of clients');
}

/** A client as Keycloak's admin API takes it: a service account and no way for people to log in. */
const clientRepresentation = ({ clientId, name, instanceId, organisation }: ClientRequest) => ({
  clientId,
  name,
  description: `Service account of the instance ${instanceId}`,
  enabled: true,
  protocol: 'openid-connect',
  clientAuthenticatorType: 'client-secret',
  publicClient: false,
  serviceAccountsEnabled: true,
  standardFlowEnabled: false,
  implicitFlowEnabled: false,
  directAccessGrantsEnabled: false,
  protocolMappers: [claimMapper('org_id', organisation), claimMapper('instance_id', instanceId)],
});

/** Puts a fixed claim into the client's access tokens. */
const claimMapper = (claim: string, value: string) => ({
  name: claim,
  protocol: 'openid-connect',
  protocolMapper: 'oidc-hardcoded-claim-mapper',
  config: {
    'claim.name': claim,
    'claim.value': value,
    'jsonType.label': 'String',
    'access.token.claim': 'true',
  },
});
