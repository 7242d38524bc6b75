import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type LandscapeAnswer, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { audience, startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** A response whose body is looked into. */
export interface Answer {
  readonly status: number;
  readonly headers: LandscapeAnswer['headers'];
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of any shape
  readonly body: any;
}

/** A real server with the product `dinosaurs` configured, and tokens of three realms. */
export interface Stage {
  readonly landscape: TestLandscape;
  readonly issuer: TokenIssuer;
  /** The token of a user of organisation 100, which has quota for five. */
  user(username?: string, claims?: Body): Promise<string>;
  staff(level: 'read' | 'write' | 'full'): Promise<string>;
  agent(clusterId?: string): Promise<string>;
  /** Sends a request; without a token it is anonymous. */
  ask(method: string, path: string, request?: { readonly token?: string; readonly body?: unknown }): Promise<Answer>;
  configure(sections?: Body): Promise<Answer>;
}

/** The base of the product's paths. */
export const base = '/api/dinosaurs_mgmt/v1';

/** Starts a server before the tests of the surrounding `describe`, and stops it after them. */
export function setStage(): Stage {
  const stack = new AsyncDisposableStack();
  const running: { landscape?: TestLandscape; issuer?: TokenIssuer } = {};
  const issuer = (): TokenIssuer => running.issuer ?? assert.fail('the server has not started yet');
  const landscape = (): TestLandscape => running.landscape ?? assert.fail('the server has not started yet');
  const ask: Stage['ask'] = async (method, path, { token, body } = {}) => {
    const answer = await landscape().request(path, {
      method,
      token: token ?? null,
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, headers: answer.headers, text: answer.text, body: parse(answer.text) };
  };
  const configure: Stage['configure'] = (sections = {}) =>
    ask('PUT', '/api/fleet_mgmt/v1/configuration', {
      token: landscape().token,
      body: { ...documentOf(issuer()), ...sections },
    });
  before(async () => {
    running.issuer = stack.use(await startTokenIssuer());
    const oidc = ['users', 'agents', 'staff'].map(realm => ({
      issuer: issuer().issuerOf(realm),
      audiences: [audience],
    }));
    running.landscape = stack.use(await startTestLandscape({ env: { CHANDLERY_OIDC: JSON.stringify(oidc) } }));
    const { status, text } = await configure();
    assert.equal(status, 200, text);
  });
  after(() => stack.disposeAsync());
  return {
    get landscape() {
      return landscape();
    },
    get issuer() {
      return issuer();
    },
    user: (username = 'ann', claims = {}) => issuer().sign('users', { username, org_id: '100', ...claims }),
    staff: level =>
      issuer().sign('staff', { username: 'sam', realm_access: { roles: [`fleet-manager-admin-${level}`] } }),
    agent: (clusterId = 'one') =>
      issuer().sign('agents', {
        username: `agent-${clusterId}`,
        realm_access: { roles: ['fleetshard_operator'] },
        'fleetshard-operator-cluster-id': clusterId,
      }),
    ask,
    configure,
  };
}

const documentOf = (issuer: TokenIssuer): Body => ({
  product: { id: 'dinosaurs', kind: 'Dinosaur' },
  tokens: {
    user_issuer: issuer.issuerOf('users'),
    agent_issuer: issuer.issuerOf('agents'),
    admin_issuer: issuer.issuerOf('staff'),
  },
  settings: { enable_instance_limit_control: true, enable_deny_list: true, dataplane_cluster_scaling_type: 'manual' },
  supported_providers: [
    {
      name: 'aws',
      default: true,
      regions: [{ name: 'eu-1', default: true, supported_instance_type: { standard: {}, eval: {} } }],
    },
  ],
  clusters: [
    {
      name: 'one',
      cluster_id: 'one',
      cloud_provider: 'aws',
      region: 'eu-1',
      multi_az: true,
      schedulable: true,
      dinosaur_instance_limit: 50,
      status: 'ready',
      provider_type: 'standalone',
      cluster_dns: 'apps.one.example.com',
      supported_instance_type: 'standard,eval',
    },
  ],
  registered_users_per_organisation: [{ id: '100', any_user: true, max_allowed_instances: 5, registered_users: [] }],
  deny_list: ['mallory'],
  dns: { type: 'none' },
  sso: { type: 'none' },
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
