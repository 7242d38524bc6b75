import { readFile } from 'node:fs/promises';
import type { SecretEntries } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl, type CloudRequest } from '../cloud-http.ts';
import { tokenRequest } from '../oauth-token.ts';

const loginHost = 'login.microsoftonline.com';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** The metadata service of a virtual machine, which is reached without TLS. */
const metadataUrl = 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01';

/** What tokens are for. */
export const azureApis = { resources: 'https://management.azure.com/', storage: 'https://storage.azure.com/' } as const;

export interface AzureLogin {
  readonly tenantId: string;
  /** One of {@link azureApis}. */
  readonly api: string;
  /** Undefined: the credentials of the server. */
  readonly secret: SecretEntries | undefined;
  /** Of a test server. Default: that of Azure. */
  readonly endpoint?: string;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The request of an access token: with a client secret of the tenant; for the server with its client secret, its federated
 * token, or its managed identity, of which a machine may have several. Rejects with `CloudCredentialsInvalid`.
 */
export async function azureTokenRequest(options: AzureLogin): Promise<CloudRequest> {
  const { tenantId, api, secret, env = process.env } = options;
  const login = (own: string, form: Form): CloudRequest =>
    loginRequest(own, { ...form, scope: `${api}.default` }, options);
  if (secret !== undefined) {
    const { clientId = '', clientSecret = '' } = secret;
    if (clientId === '' || clientSecret === '') throw incomplete();
    return login(tenantId, { client_id: clientId, client_secret: clientSecret });
  }
  const { AZURE_CLIENT_ID: id, AZURE_CLIENT_SECRET: key, AZURE_FEDERATED_TOKEN_FILE: file } = env;
  if (id && key) return login(env['AZURE_TENANT_ID'] ?? tenantId, { client_id: id, client_secret: key });
  if (id && file) {
    const assertion = await readAssertion(file);
    const form = { client_id: id, client_assertion_type: assertionType, client_assertion: assertion };
    return login(env['AZURE_TENANT_ID'] ?? tenantId, form);
  }
  const url = new URL(metadataUrl);
  url.searchParams.set('resource', api);
  if (id) url.searchParams.set('client_id', id);
  return { method: 'GET', url, headers: { metadata: 'true' } };
}

type Form = Readonly<Record<string, string>>;

/** The error does not name the file: tenants see it. */
async function readAssertion(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    throw cloudError('CloudCredentialsInvalid', 'the server cannot read its federated token of Azure', {
      hint: 'Its operator has to correct AZURE_FEDERATED_TOKEN_FILE.',
    });
  }
}

const loginRequest = (tenantId: string, form: Form, { endpoint }: Pick<AzureLogin, 'endpoint'>): CloudRequest =>
  tokenRequest(apiUrl(endpoint, loginHost, `/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`), {
    ...form,
    grant_type: 'client_credentials',
  });

const incomplete = () =>
  cloudError('CloudCredentialsInvalid', 'the Secret has no clientId or no clientSecret', {
    hint: 'Write both as entries of the Secret.',
  });
