import { startTestLandscape, type TestLandscape } from '@chandlery/testing';

/** What a test registers at the service manager, and the answer. */
export interface TestServiceManager extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly url: string;
  readonly caPem: string;
  /** A request as the administrator; throws for an answer of 400 and more. */
  call<T = Record<string, unknown>>(path: string, request?: { method?: string; body?: unknown }): Promise<T>;
  /** Registers a platform and answers its credentials. */
  registerPlatform(name: string, type: string): Promise<{ id: string; username: string; password: string }>;
  /** Registers a broker and answers its id. */
  registerBroker(name: string, url: string): Promise<string>;
  /** The id of a plan by its name in the catalog. */
  planId(catalogName: string): Promise<string>;
  /** Lets a platform, or all, use a plan; answers the id of the visibility. */
  allow(planId: string, platformId?: string, labels?: Record<string, string[]>): Promise<string>;
}

/** The real service manager, in a landscape of its own. */
export async function startTestServiceManager(): Promise<TestServiceManager> {
  const landscape = await startTestLandscape();
  const call: TestServiceManager['call'] = async (path, request = {}) => {
    const answer = await landscape.request(path, request);
    if (answer.status >= 400) throw new Error(`${request.method ?? ''} ${path}: ${answer.status} ${answer.text}`);
    return answer.json();
  };
  const idOf = async (path: string, body: unknown): Promise<string> => {
    const { id } = await call<{ id: string }>(path, { method: 'POST', body });
    return id;
  };
  return {
    landscape,
    url: landscape.url,
    caPem: landscape.ca,
    call,
    registerPlatform: async (name, type) => {
      const made = await call<{ id: string; credentials: { basic: { username: string; password: string } } }>(
        '/v1/platforms',
        { method: 'POST', body: { name, type } },
      );
      return { id: made.id, ...made.credentials.basic };
    },
    registerBroker: (name, url) => {
      const credentials = { basic: { username: 'admin', password: 'broker-password' } };
      return idOf('/v1/service_brokers', { name, broker_url: url, credentials });
    },
    planId: async catalogName => {
      const query = encodeURIComponent(`catalog_name eq '${catalogName}'`);
      const { items } = await call<{ items: { id: string }[] }>(`/v1/service_plans?fieldQuery=${query}`);
      return items[0]?.id ?? '';
    },
    allow: (planId, platformId, labels) =>
      idOf('/v1/visibilities', {
        service_plan_id: planId,
        ...(platformId === undefined ? {} : { platform_id: platformId }),
        ...(labels === undefined ? {} : { labels }),
      }),
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}
