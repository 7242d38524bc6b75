import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type LandscapeAnswer, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import type { FleetBody } from '../../../../domains/fleet/src/facade/test-body.ts';
import { type Json, stageDocument } from './stage-document.ts';
import { audience, startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

/** A response whose body is looked into. */
export interface Answer {
  readonly status: number;
  readonly headers: LandscapeAnswer['headers'];
  readonly text: string;
  /** Without fields where the response has no JSON. */
  readonly body: FleetBody;
}

/** What is sent besides method and path. */
export interface StageRequest {
  /** Absent: anonymous. */
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A real server with the product `dinosaurs` configured, and tokens of three realms. */
export interface Stage {
  readonly landscape: TestLandscape;
  readonly issuer: TokenIssuer;
  /** The token of a user of organisation 300, which has quota for many. */
  user(username?: string, claims?: Json): Promise<string>;
  staff(level: 'read' | 'write' | 'full'): Promise<string>;
  agent(clusterId?: string): Promise<string>;
  ask(method: string, path: string, request?: StageRequest): Promise<Answer>;
  /** Puts the document of the stage into force, with other sections. */
  configure(sections?: Json): Promise<Answer>;
  /** Orders an instance and returns its id. */
  order(name: string, request?: { readonly token?: string; readonly body?: Json }): Promise<string>;
  /** Writes the status of an instance, as workers would leave it. */
  setStatus(id: string, status: Json): Promise<void>;
  /** Writes the Secret of an instance, as workers would. */
  putSecret(id: string, data: Readonly<Record<string, string>>): Promise<void>;
}

/** The base of the product's paths, and the path of its instances. */
export const base = '/api/dinosaurs_mgmt/v1';
export const collection = `${base}/dinosaurs`;

/** Checks that a response is an error of the product. */
export function assertError({ status, body, text }: Answer, expected: number, code: number, what?: string): void {
  const why = `${what ?? ''} ${text}`;
  assert.deepEqual([status, body.code, body.kind], [expected, `DINOSAURS-MGMT-${code}`, 'Error'], why);
}

const kube = '/clusters/onboarding';
const instances = `${kube}/apis/fleet.chandlery.io/v1alpha1/namespaces/fleet/fleetinstances`;

/** Starts a server before the tests of the surrounding `describe`, and stops it after them. */
export function setStage(): Stage {
  const stack = new AsyncDisposableStack();
  const running: { landscape?: TestLandscape; issuer?: TokenIssuer } = {};
  const issuer = (): TokenIssuer => running.issuer ?? assert.fail('the server has not started yet');
  const landscape = (): TestLandscape => running.landscape ?? assert.fail('the server has not started yet');
  const ask: Stage['ask'] = async (method, path, { token, body, headers } = {}) => {
    const answer = await landscape().request(path, {
      method,
      token: token ?? null,
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
    });
    return { status: answer.status, headers: answer.headers, text: answer.text, body: parse(answer.text) };
  };
  const asOperator = async (method: string, path: string, request: StageRequest): Promise<Answer> => {
    const answer = await ask(method, path, { token: landscape().token, ...request });
    assert.ok(answer.status < 300, answer.text);
    return answer;
  };
  const configure: Stage['configure'] = (sections = {}) =>
    ask('PUT', '/api/fleet_mgmt/v1/configuration', {
      token: landscape().token,
      body: { ...stageDocument(issuer()), ...sections },
    });
  const user: Stage['user'] = (username = 'ann', claims = {}) =>
    issuer().sign('users', { username, org_id: '300', ...claims });
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
    user,
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
    order: async (name, { token, body = {} } = {}) => {
      const request = { token: token ?? (await user()), body: { name, ...body } };
      const answer = await ask('POST', `${collection}?async=true`, request);
      assert.equal(answer.status, 202, answer.text);
      return answer.body.id;
    },
    setStatus: async (id, status) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      await asOperator('PATCH', `${instances}/${id}/status`, { headers, body: { status } });
    },
    putSecret: async (id, stringData) => {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `instance-${id}` }, stringData };
      await asOperator('POST', `${kube}/api/v1/namespaces/fleet/secrets`, { body });
    },
  };
}

function parse(text: string): FleetBody {
  try {
    return JSON.parse(text) as FleetBody;
  } catch {
    return {} as FleetBody;
  }
}
