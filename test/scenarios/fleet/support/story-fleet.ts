import assert from 'node:assert/strict';
import { eventually, freePort, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { DataPlane, type DataPlaneOptions } from './data-plane.ts';
import { fossilsProgram } from './fossils.ts';
import { callUntilAnswered, type PersistentReply, type PersistentRequest } from './persistent-call.ts';

/** An instance that the story orders. */
export interface PlannedInstance {
  readonly product: 'dinosaurs' | 'fossils';
  readonly name: string;
  readonly organisation: string;
  readonly region: string;
}

/** An instance as the public API shows it. */
export interface ListedInstance {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly host?: string;
}

const base = (product: string): string => `/api/${product}_mgmt/v1`;
const stateTimeoutMs = 120_000;

/** A landscape with two products, clusters with agents, and organisations whose quota is exactly what they order. */
export class StoryFleet implements AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly dnsPort: number;
  readonly plan: readonly PlannedInstance[];
  readonly planes: ReadonlyMap<string, DataPlane>;
  /** All hosts that instances have ever had. */
  readonly hosts = new Set<string>();
  readonly #tokens = new Map<string, string>();

  private constructor(
    landscape: TestLandscape,
    { plan, clusters, dnsPort }: StoryOptions & { readonly dnsPort: number },
  ) {
    this.landscape = landscape;
    this.dnsPort = dnsPort;
    this.plan = plan;
    this.planes = new Map(clusters.map(cluster => [cluster.clusterId, new DataPlane(landscape, cluster)]));
  }

  static async start(options: StoryOptions): Promise<StoryFleet> {
    await using stack = new AsyncDisposableStack();
    const dnsPort = await freePort();
    const fleet = stack.use(new StoryFleet(await startTestLandscape(), { ...options, dnsPort }));
    for (const product of new Set(options.clusters.map(cluster => cluster.product)))
      await fleet.#configure(product, options);
    for (const organisation of new Set(options.plan.map(planned => planned.organisation)))
      await fleet.#issueToken(organisation);
    for (const plane of fleet.planes.values()) await plane.start();
    // From here on the fleet disposes of the landscape.
    stack.move();
    return fleet;
  }

  /** Calls the API of a product as a user of an organisation, or as an administrator, until a server answers. */
  call(method: string, path: string, request: PersistentRequest = {}): Promise<PersistentReply> {
    return callUntilAnswered(this.landscape, [method, path], request);
  }

  /** Orders an instance; one whose order was taken by a server that was killed before it answered is there already. */
  async order({ product, name, organisation, region }: PlannedInstance): Promise<void> {
    const { status, text } = await this.call('POST', `${base(product)}/${product}?async=true`, {
      token: this.#token(organisation),
      body: { name, cloud_provider: 'local', region, multi_az: true },
    });
    assert.ok(status === 202 || (status === 409 && text.includes('-36"')), `${name}: ${status} ${text}`);
  }

  async delete(planned: PlannedInstance): Promise<void> {
    const { product, organisation } = planned;
    const id = (await this.find(planned))?.id;
    if (id === undefined) return;
    const path = `${base(product)}/${product}/${id}?async=true`;
    const { status, text } = await this.call('DELETE', path, { token: this.#token(organisation) });
    assert.ok(status === 202 || status === 404, text);
  }

  /** Changes an instance as an administrator. A repetition of what a killed server did is rejected with code 8. */
  async patch(planned: PlannedInstance, body: object): Promise<void> {
    const { product, name } = planned;
    const id = (await this.find(planned))?.id ?? assert.fail(`there is no ${name}`);
    const { status, text } = await this.call('PATCH', `${base(product)}/admin/${product}/${id}`, { body });
    assert.ok(status === 200 || (status === 400 && text.includes('-8"')), `${name}: ${status} ${text}`);
  }

  async find({ product, organisation, name }: PlannedInstance): Promise<ListedInstance | undefined> {
    return (await this.list(product, organisation, `name = ${name}`))[0];
  }

  async list(product: string, organisation: string, search = ''): Promise<readonly ListedInstance[]> {
    const query = new URLSearchParams({ size: '1000', ...(search === '' ? {} : { search }) });
    const token = this.#token(organisation);
    const { status, text } = await this.call('GET', `${base(product)}/${product}?${query}`, { token });
    assert.equal(status, 200, text);
    const { items } = JSON.parse(text) as { items: readonly ListedInstance[] };
    for (const { host } of items) if (host) this.hosts.add(host);
    return items;
  }

  /** All instances of the plan's organisations that are there, by name. */
  async listAll(): Promise<ReadonlyMap<string, ListedInstance>> {
    const pairs = new Set(this.plan.map(({ product, organisation }) => `${product} ${organisation}`));
    const lists = await Promise.all(
      [...pairs].map(pair => {
        const [product = '', organisation = ''] = pair.split(' ');
        return this.list(product, organisation);
      }),
    );
    return new Map(lists.flat().map(item => [item.name, item]));
  }

  /** Waits until all of some instances have a state; undefined: until they are removed. */
  async untilState(planned: readonly PlannedInstance[], state: string | undefined): Promise<void> {
    let others: string[] = [];
    const isReached = async (): Promise<boolean> => {
      const items = await this.listAll();
      others = planned
        .filter(({ name }) => items.get(name)?.status !== state)
        .map(({ name }) => JSON.stringify(items.get(name) ?? name));
      return others.length === 0;
    };
    await eventually(isReached, { timeoutMs: stateTimeoutMs, pauseMs: 50 }).catch((cause: unknown) => {
      const logs = [...this.planes.values()].map(plane => plane.log()).join('\n');
      const server = this.landscape.process.output().slice(-3000);
      throw new Error(`${others.length} are not ${state}, such as ${others[0]}\n${server}\n${logs}`, { cause });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const plane of this.planes.values()) await plane[Symbol.asyncDispose]();
    await this.landscape[Symbol.asyncDispose]();
  }

  #token(organisation: string): string {
    return this.#tokens.get(organisation) ?? assert.fail(`no token of ${organisation}`);
  }

  async #issueToken(organisation: string): Promise<void> {
    const body = { username: `user-of-${organisation}`, organisation };
    const { token } = (await this.landscape.request('/api/fleet_mgmt/v1/tokens', { body })).json<{ token: string }>();
    this.#tokens.set(organisation, token);
  }

  async #configure(product: PlannedInstance['product'], options: StoryOptions): Promise<void> {
    const body = { ...documentOf(product, options), dns: this.#dns(product) };
    const put = await this.landscape.request('/api/fleet_mgmt/v1/configuration', { method: 'PUT', body });
    assert.equal(put.status, 200, put.text);
    if (product !== 'fossils') return;
    const path = '/clusters/onboarding/apis/fleet.chandlery.io/v1alpha1/fleetproducts/fossils';
    const patched = await this.landscape.request(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { program: fossilsProgram } },
    });
    assert.equal(patched.status, 200, patched.text);
  }

  #dns(product: string): object {
    return { type: 'embedded', port: this.dnsPort, domain: `${product}.fleet.internal` };
  }
}

export interface StoryOptions {
  readonly plan: readonly PlannedInstance[];
  readonly clusters: readonly DataPlaneOptions[];
}

const kinds = { dinosaurs: 'Dinosaur', fossils: 'Fossil' };

/** The document of a product: clusters and organisations have room for what is planned and for nothing more. */
function documentOf(product: PlannedInstance['product'], { plan, clusters }: StoryOptions): object {
  const ours = plan.filter(planned => planned.product === product);
  const regions = [...new Set(clusters.map(({ region }) => region))];
  return {
    product: { id: product, kind: kinds[product] },
    settings: { enable_instance_limit_control: true, dataplane_cluster_scaling_type: 'manual' },
    supported_providers: [
      {
        name: 'local',
        regions: regions.map((name, at) => ({ name, default: at === 0, supported_instance_type: { standard: {} } })),
      },
    ],
    clusters: clusters
      .filter(cluster => cluster.product === product)
      .map(({ clusterId, region }) => ({
        cluster_id: clusterId,
        cloud_provider: 'local',
        region,
        multi_az: true,
        status: 'ready',
        // Where the routers of the agents listen.
        cluster_dns: '127.0.0.1',
        instance_limit: ours.filter(planned => planned.region === region).length,
        supported_instance_type: 'standard',
      })),
    registered_users_per_organisation: [...new Set(ours.map(({ organisation }) => organisation))].map(id => ({
      id,
      any_user: true,
      max_allowed_instances: ours.filter(({ organisation }) => organisation === id).length,
    })),
  };
}
