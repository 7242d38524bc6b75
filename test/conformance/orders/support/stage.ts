import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type LandscapeAnswer, startTestLandscape, type TestLandscape } from '@chandlery/testing';

/** A body of the REST API, whose fields tests look into. */
export interface Body {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly message: string;
  readonly code: string;
  readonly name: string;
  readonly status: string;
  readonly size: number;
  readonly items: readonly Body[];
  readonly messages: readonly Body[];
  readonly links: readonly { readonly rel: string; readonly href: string; readonly type: string }[];
}

/** A response. */
export interface Answer {
  readonly status: number;
  readonly headers: LandscapeAnswer['headers'];
  readonly text: string;
  /** Without fields where the response has no JSON. */
  readonly body: Body;
}

/** What is sent besides method and path. */
export interface StageRequest {
  /** Default: the consumer of the tenant `acme`; null: anonymous. */
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Service accounts, as `<namespace>/<name>`. */
export const accounts = ['acme/robot', 'other/robot', 'acme/unbound', 'acme/reader'] as const;
export type Account = (typeof accounts)[number];

/** A real server with two tenants. */
export interface Stage {
  readonly landscape: TestLandscape;
  /** The token of a service account. */
  readonly token: (account: Account) => string;
  readonly ask: (method: string, path: string, request?: StageRequest) => Promise<Answer>;
  /** As {@link ask}; fails unless the status is as expected. */
  readonly expect: (status: number, method: string, path: string, request?: StageRequest) => Promise<Answer>;
  /** A request of the administrator on the onboarding cluster. */
  readonly kube: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

const bindings: readonly { readonly namespace: string; readonly account: string; readonly role: string }[] = [
  { namespace: 'acme', account: 'robot', role: 'orders-consumer' },
  { namespace: 'other', account: 'robot', role: 'orders-consumer' },
  { namespace: 'acme', account: 'reader', role: 'orders-reader' },
];

/** Starts a server before the tests of the file, and stops it after them. */
export function setStage({ localClusters = 'off' }: { readonly localClusters?: 'on' | 'off' } = {}): Stage {
  const stack = new AsyncDisposableStack();
  const running: { landscape?: TestLandscape } = {};
  const tokens = new Map<Account, string>();
  const landscape = (): TestLandscape => running.landscape ?? assert.fail('the server has not started yet');
  const token = (account: Account): string => tokens.get(account) ?? assert.fail(`no token of ${account}`);
  const ask: Stage['ask'] = async (method, path, request = {}) => {
    const { token: given = token('acme/robot'), ...rest } = request;
    const { status, headers, text } = await landscape().request(path, { method, token: given, ...rest });
    return { status, headers, text, body: parse(text) };
  };
  const kube: Stage['kube'] = async (method, path, body) => {
    const request = { token: landscape().token, ...(body === undefined ? {} : { body }) };
    return ask(method, `/clusters/onboarding${path}`, request);
  };
  before(async () => {
    running.landscape = stack.use(await startTestLandscape({ flags: ['--local-clusters', localClusters] }));
    await makeTenants(kube, tokens);
  });
  after(() => stack.disposeAsync());
  return {
    get landscape() {
      return landscape();
    },
    token,
    ask,
    kube,
    expect: async (status, method, path, request) => {
      const answer = await ask(method, path, request);
      assert.equal(answer.status, status, `${method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    },
  };
}

async function makeTenants(kube: Stage['kube'], tokens: Map<Account, string>): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const create = async (path: string, object: object): Promise<Answer> => {
    const answer = await kube('POST', path, object);
    assert.ok(answer.status < 300, answer.text);
    return answer;
  };
  const rules = [{ apiGroups: ['orders.chandlery.io'], resources: ['*'], verbs: ['get', 'list'] }];
  await create(`${rbac}/clusterroles`, { metadata: { name: 'orders-reader' }, rules });
  for (const name of ['acme', 'other']) await create('/api/v1/namespaces', { metadata: { name } });
  for (const account of accounts) {
    const [namespace = '', name = ''] = account.split('/');
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await create(path, { metadata: { name } });
    const { body } = await create(`${path}/${name}/token`, { spec: {} });
    tokens.set(account, (body.status as unknown as { token: string }).token);
  }
  for (const { namespace, account, role } of bindings)
    await create(`${rbac}/namespaces/${namespace}/rolebindings`, {
      metadata: { name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    });
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}

/** A service of one container. */
export const basicService = (changes: Readonly<Record<string, unknown>> = {}): object => ({
  $schema: 'urn:ivcap:schema:service.2',
  name: 'hello',
  description: 'says hello',
  parameters: [{ name: 'msg', type: 'string', description: 'what to say' }],
  controller: { $schema: 'urn:ivcap:schema.service.basic.1', image: 'alpine', command: ['echo'] },
  ...changes,
});

/** A URN of a record that does not exist. */
export const missing = (kind: string): string => `urn:ivcap:${kind}:00000000-0000-4000-8000-000000000000`;
