import { type ResourceType, typeUrls } from '../../domains/mesh/src/model/resource.ts';
import { passthroughClusterName, secretNames } from '../../domains/mesh/src/model/resource-names.ts';
import type { CallEnd } from '../../domains/mesh/src/test-xds-client/test-byte-call.ts';
import type { TestTls } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import type { ReceivedResponse } from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import type { TestXdsStream } from '../../domains/mesh/src/test-xds-client/test-xds-stream.ts';
import type { CheckedConnection } from '../conformance/xds/support/checked-connection.ts';
import type { MeshLandscape } from '../conformance/xds/support/mesh-landscape.ts';

const types = ['cluster', 'endpoints', 'listener', 'secret'] as const satisfies readonly ResourceType[];
type FollowedType = (typeof types)[number];

/** The passthrough cluster has no endpoints. */
const hasEndpoints = (cluster: string): boolean => cluster !== passthroughClusterName;

const secrets = [secretNames.inboundRoots];

/** A proxy with the incremental protocol that moves its resources between replicas. */
export class RovingProxy implements AsyncDisposable {
  /** Its resources: versions by name. */
  readonly has: Readonly<Record<FollowedType, Map<string, string>>> = {
    cluster: new Map(),
    endpoints: new Map(),
    listener: new Map(),
    secret: new Map(),
  };
  /** Resources that were sent again in the same version; `type name version`. */
  readonly repeated: string[] = [];
  /** Number of resources and removals since the last connect. */
  news = 0;
  readonly #account: string;
  readonly #tls: TestTls;
  readonly #nodeId: string;
  /** Clusters that are new or changed since their endpoints arrived: these have to be sent in any case. */
  readonly #warming = new Set<string>();
  #connection: CheckedConnection | undefined;
  #stream: TestXdsStream | undefined;

  /** @param nodeId that of the certificate; a replica keeps one connection of each */
  constructor(account: string, tls: TestTls, nodeId: string = account) {
    this.#account = account;
    this.#tls = tls;
    this.#nodeId = nodeId;
  }

  /** How its stream ended; undefined while it is open. */
  get end(): CallEnd | undefined {
    return this.#stream?.end;
  }

  /** All its resources, comparable. */
  get state(): object {
    return Object.fromEntries(types.map(type => [type, [...this.has[type]].sort()]));
  }

  /** Connects to a replica with its resource versions. */
  async connect(mesh: MeshLandscape): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.news = 0;
    this.#connection = await mesh.connect({ account: this.#account, nodeId: this.#nodeId }, this.#tls);
    const onResponse = (response: ReceivedResponse): void => this.#take(response);
    this.#stream = this.#connection.open({ mode: 'delta', autoAck: true, onResponse });
    this.#ask('cluster', []);
    this.#ask('endpoints', [...this.has.cluster.keys()].filter(hasEndpoints));
    this.#ask('listener', []);
    this.#ask('secret', secrets);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection?.[Symbol.asyncDispose]();
  }

  #ask(type: FollowedType, subscribe: readonly string[]): void {
    const initialVersions = Object.fromEntries(this.has[type]);
    this.#stream?.sendDelta({ typeUrl: typeUrls[type], subscribe, initialVersions });
  }

  #take({ typeUrl, resources, removed }: ReceivedResponse): void {
    const type = types.find(each => typeUrls[each] === typeUrl);
    if (type === undefined) return;
    for (const { name, version = '' } of resources) {
      this.news++;
      if (this.has[type].get(name) === version && !this.#isWaitedFor(type, name)) {
        this.repeated.push(`${type} ${name} ${version}`);
      }
      this.has[type].set(name, version);
      if (type === 'cluster') this.#warming.add(name);
    }
    for (const name of removed) {
      this.news++;
      this.has[type].delete(name);
    }
    if (type === 'cluster') this.#follow(resources.map(({ name }) => name).filter(hasEndpoints), removed);
  }

  readonly #isWaitedFor = (type: FollowedType, name: string): boolean =>
    type === 'endpoints' && this.#warming.delete(name);

  /** Subscribes to the endpoints of its clusters, as Envoy does. */
  #follow(added: readonly string[], removed: readonly string[]): void {
    if (added.length + removed.length === 0) return;
    for (const name of removed) this.has.endpoints.delete(name);
    this.#stream?.sendDelta({ typeUrl: typeUrls.endpoints, subscribe: added, unsubscribe: removed });
  }
}
