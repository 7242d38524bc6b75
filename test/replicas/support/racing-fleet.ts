import assert from 'node:assert/strict';
import { eventually, type LandscapeAnswer, type TestLandscape } from '@chandlery/testing';
import { type Replicas, startReplicas } from '../start-replicas.ts';

export const base = '/api/dinosaurs_mgmt/v1';
export const collection = `${base}/dinosaurs`;
export const agent = `${base}/agent-clusters`;

const cluster = (clusterId: string, region: string): object => ({
  cluster_id: clusterId,
  cloud_provider: 'local',
  region,
  multi_az: true,
  status: 'ready',
  cluster_dns: `${clusterId}.example.com`,
});

/** Region narrow has room for one instance; organisation single has quota for one, wide for many. */
const document = {
  product: { id: 'dinosaurs', kind: 'Dinosaur' },
  settings: { enable_instance_limit_control: true, dataplane_cluster_scaling_type: 'manual' },
  supported_providers: [
    {
      name: 'local',
      regions: [
        { name: 'eu', default: true, supported_instance_type: { standard: {} } },
        { name: 'narrow', supported_instance_type: { standard: { limit: 1 } } },
        { name: 'one-cluster', supported_instance_type: { standard: {} } },
      ],
    },
  ],
  clusters: [
    cluster('big', 'eu'),
    cluster('small', 'narrow'),
    { ...cluster('tiny', 'one-cluster'), instance_limit: 1 },
  ],
  registered_users_per_organisation: [
    { id: 'wide', any_user: true, max_allowed_instances: 1000 },
    { id: 'single', any_user: true, max_allowed_instances: 1 },
  ],
  dns: { type: 'none' },
};

/** Condition Ready of a report. */
export const ready = { type: 'Ready', status: 'True' };
export const deleted = { type: 'Ready', status: 'False', reason: 'Deleted' };

/** Two replicas on one PostgreSQL, with a product and clusters whose agents the test plays over HTTP. */
export class RacingFleet implements AsyncDisposable {
  readonly #replicas: Replicas;
  readonly #tokens = new Map<string, string>();

  private constructor(replicas: Replicas) {
    this.#replicas = replicas;
  }

  static async start(): Promise<RacingFleet> {
    const fleet = new RacingFleet(await startReplicas(2));
    await fleet.#configure();
    for (const organisation of ['wide', 'single']) await fleet.#issue(organisation, { organisation });
    for (const id of ['big', 'small', 'tiny']) {
      await fleet.#issue(id, { roles: ['fleetshard_operator'], cluster_id: id });
      const operator = { version: '1.0.0-1', ready: true, dinosaurVersions: ['1.0.0', '1.0.1'] };
      const report = { conditions: [ready], dinosaurOperator: [operator] };
      const { status, text } = await fleet.ask(0, 'PUT', `${agent}/${id}/status`, { as: id, body: report });
      assert.equal(status, 204, text);
    }
    return fleet;
  }

  /** Asks one of the two replicas; `as`: an organisation or a cluster; absent: the landscape's administrator. */
  ask(
    replica: number,
    method: string,
    path: string,
    { as, body }: { readonly as?: string; readonly body?: unknown } = {},
  ): Promise<LandscapeAnswer> {
    const token = as === undefined ? {} : { token: this.#tokens.get(as) ?? assert.fail(as) };
    return this.#replica(replica).request(path, { method, ...token, ...(body === undefined ? {} : { body }) });
  }

  order(replica: number, name: string, { as = 'wide', region = 'eu' } = {}): Promise<LandscapeAnswer> {
    return this.ask(replica, 'POST', `${collection}?async=true`, { as, body: { name, region, multi_az: true } });
  }

  /** Orders instances and waits until both replicas have them in provisioning. Returns their ids. */
  async provision(names: readonly string[]): Promise<readonly string[]> {
    const orders = await Promise.all(names.map((name, at) => this.order(at % 2, name)));
    const ids = orders.map(answer => answer.json<{ id: string }>().id);
    for (const id of ids) await this.untilState(id, 'provisioning');
    return ids;
  }

  /** Reports an instance of cluster big through one of the replicas. */
  async report(replica: number, id: string, condition: object): Promise<void> {
    const versions = { dinosaur: '1.0.1', dinosaurOperator: '1.0.0-1' };
    const body = { [id]: { conditions: [condition], versions } };
    const { status, text } = await this.ask(replica, 'PUT', `${agent}/big/dinosaurs/status`, { as: 'big', body });
    assert.ok(status < 300, text);
  }

  remove(replica: number, id: string, as = 'wide'): Promise<LandscapeAnswer> {
    return this.ask(replica, 'DELETE', `${collection}/${id}?async=true`, { as });
  }

  /** The state of an instance in a replica; undefined: it does not have it. */
  async stateOf(replica: number, id: string): Promise<string | undefined> {
    const answer = await this.ask(replica, 'GET', `${base}/admin/dinosaurs/${id}`);
    return answer.status === 404 ? undefined : answer.json<{ status: string }>().status;
  }

  /** Waits until both replicas show a state. */
  async untilState(id: string, state: string | undefined): Promise<void> {
    for (const replica of [0, 1])
      await eventually(async () => (await this.stateOf(replica, id)) === state, {
        timeoutMs: 30_000,
        what: `${id} to be ${state ?? 'gone'} in replica ${replica}`,
      });
  }

  /** Deletes everything, plays the agents, and checks that nothing is left in either replica. */
  async clear(): Promise<void> {
    for (const { id } of await this.#list()) await this.ask(0, 'DELETE', `${base}/admin/dinosaurs/${id}?async=true`);
    await eventually(
      async () => {
        for (const clusterId of ['big', 'small', 'tiny']) await this.#deleteOn(clusterId);
        return (await this.#list()).length === 0;
      },
      { timeoutMs: 30_000, pauseMs: 50, what: 'all instances to go' },
    );
    for (const replica of [0, 1])
      await eventually(async () => {
        assert.deepEqual(await this.#leftIn(replica), { instances: 0, secrets: [], quota: [0, 0] });
        return true;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#replicas[Symbol.asyncDispose]();
  }

  async #list(): Promise<readonly { readonly id: string }[]> {
    const answer = await this.ask(0, 'GET', `${base}/admin/dinosaurs?size=1000`);
    return answer.json<{ items: readonly { id: string }[] }>().items;
  }

  async #deleteOn(as: string): Promise<void> {
    const list = await this.ask(0, 'GET', `${agent}/${as}/dinosaurs`, { as });
    const { items } = list.json<{ items: readonly { id: string; spec: { deleted: boolean } }[] }>();
    const body = Object.fromEntries(
      items.filter(({ spec }) => spec.deleted).map(({ id }) => [id, { conditions: [deleted] }]),
    );
    await this.ask(1, 'PUT', `${agent}/${as}/dinosaurs/status`, { as, body });
  }

  async #leftIn(replica: number): Promise<object> {
    const instances = '/clusters/onboarding/apis/fleet.chandlery.io/v1alpha1/fleetinstances';
    const secrets = '/clusters/onboarding/api/v1/namespaces/fleet/secrets';
    const names = async (path: string): Promise<readonly string[]> =>
      (await this.ask(replica, 'GET', path))
        .json<{ items: readonly { metadata: { name: string } }[] }>()
        .items.map(({ metadata }) => metadata.name);
    const quota = await this.ask(replica, 'GET', '/api/fleet_mgmt/v1/quota?product=dinosaurs');
    return {
      instances: (await names(instances)).length,
      secrets: (await names(secrets)).filter(name => /^(instance|sso-client)-/.test(name)),
      quota: quota.json<{ items: readonly { used: number }[] }>().items.map(({ used }) => used),
    };
  }

  #replica(at: number): TestLandscape {
    return this.#replicas.all[at] ?? assert.fail(`there is no replica ${at}`);
  }

  async #configure(): Promise<void> {
    const path = '/api/fleet_mgmt/v1/configuration';
    const put = await this.ask(0, 'PUT', path, { body: document });
    assert.equal(put.status, 200, put.text);
    const inForce = (await this.ask(0, 'GET', path)).text;
    await eventually(async () => (await this.ask(1, 'GET', path)).text === inForce, { timeoutMs: 30_000 });
  }

  async #issue(name: string, order: object): Promise<void> {
    const body = { username: `user-of-${name}`, ...order };
    const { token } = (await this.ask(0, 'POST', '/api/fleet_mgmt/v1/tokens', { body })).json<{ token: string }>();
    this.#tokens.set(name, token);
  }
}
