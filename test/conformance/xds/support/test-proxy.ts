import type protobuf from 'protobufjs';
import { type ResourceType, typeUrls } from '../../../../domains/mesh/src/model/resource.ts';
import { passthroughClusterName, secretNames } from '../../../../domains/mesh/src/model/resource-names.ts';
import { decodeResource } from '../../../../domains/mesh/src/resources/test-decode.ts';
import type {
  ReceivedResource,
  ReceivedResponse,
  TestDeltaRequest,
  TestRequest,
} from '../../../../domains/mesh/src/test-xds-client/test-messages.ts';
import type { TestXdsStream } from '../../../../domains/mesh/src/test-xds-client/test-xds-stream.ts';
import { type CheckedConnection, encodedOf } from './checked-connection.ts';

const patienceMs = 20_000;

/** A proxy on one aggregated stream, controlled by the test. */
export class TestProxy implements AsyncDisposable {
  readonly stream: TestXdsStream;
  readonly #connection: CheckedConnection;
  readonly #root: protobuf.Root;
  readonly #taken = new Map<ResourceType, number>();

  constructor(connection: CheckedConnection, stream: TestXdsStream, root: protobuf.Root) {
    this.#connection = connection;
    this.stream = stream;
    this.#root = root;
  }

  /** Sends a request of the state-of-the-world protocol. */
  ask(type: ResourceType, names: readonly string[], more: TestRequest = {}): void {
    this.stream.send({ typeUrl: typeUrls[type], names, ...more });
  }

  /** Sends a request of the incremental protocol. */
  askDelta(type: ResourceType, request: TestDeltaRequest): void {
    this.stream.sendDelta({ typeUrl: typeUrls[type], ...request });
  }

  /** All responses of a type so far. */
  responses(type: ResourceType): ReceivedResponse[] {
    return this.stream.responses.filter(({ typeUrl }) => typeUrl === typeUrls[type]);
  }

  /** The next response of a type that was not taken yet. */
  next(type: ResourceType): Promise<ReceivedResponse> {
    return this.until(type, () => true);
  }

  /** Takes responses of a type until one matches. */
  until(type: ResourceType, isWanted: (response: ReceivedResponse) => boolean): Promise<ReceivedResponse> {
    return this.stream.waitFor(() => {
      const responses = this.responses(type);
      for (let at = this.#taken.get(type) ?? 0; at < responses.length; at++) {
        this.#taken.set(type, at + 1);
        const response = responses[at];
        if (response && isWanted(response)) return response;
      }
      return undefined;
    }, patienceMs);
  }

  ack(response: ReceivedResponse, names?: readonly string[]): void {
    this.stream.ack(response, names);
  }

  /** Takes the next response of a type and acknowledges it. */
  async accept(type: ResourceType): Promise<ReceivedResponse> {
    const response = await this.next(type);
    this.ack(response);
    return response;
  }

  /**
   * Waits until the server has handled all earlier requests: it handles the requests of a stream in order, so a
   * response to a later one proves it. Uses the type of secrets for it.
   */
  async handled(): Promise<void> {
    const before = this.responses('secret');
    const { nonce = '', version = '' } = before.at(-1) ?? {};
    const names = [secretNames.inboundRoots];
    if (nonce !== '') this.ask('secret', [], { nonce, version });
    this.ask('secret', names, { nonce, version });
    await this.stream.waitFor(() => this.responses('secret').length > before.length || undefined, patienceMs);
  }

  /** A resource as a plain object, with packed messages decoded. */
  decode<T = Record<string, unknown>>(resource: ReceivedResource | undefined): T {
    if (resource === undefined) throw new Error('there is no such resource');
    return decodeResource(this.#root, encodedOf(this.#root, resource)) as T;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection[Symbol.asyncDispose]();
  }
}

/** The names in a response, sorted, without the passthrough cluster that every Envoy has. */
export const namesOf = ({ resources }: Pick<ReceivedResponse, 'resources'>): string[] =>
  resources
    .map(({ name }) => name)
    .filter(name => name !== passthroughClusterName)
    .sort();

interface DecodedEndpoints {
  readonly endpoints?: readonly {
    readonly load_balancing_weight?: { readonly value: number };
    readonly lb_endpoints?: readonly {
      readonly endpoint: { readonly address: { readonly socket_address: { address: string; port_value: number } } };
    }[];
  }[];
}

/** The addresses in a list of endpoints, each `ip:port`, in the order of the response. */
const addressesOf = ({ endpoints = [] }: DecodedEndpoints): string[] =>
  endpoints.flatMap(({ lb_endpoints = [] }) =>
    lb_endpoints.map(({ endpoint: { address } }) => {
      const { address: ip, port_value } = address.socket_address;
      return `${ip}:${port_value}`;
    }),
  );

/** The weights of the groups in a list of endpoints, by the addresses in them. */
export const weightsOf = ({ endpoints = [] }: DecodedEndpoints): Record<string, number> =>
  Object.fromEntries(
    endpoints.map(group => [addressesOf({ endpoints: [group] }).join(), group.load_balancing_weight?.value ?? 0]),
  );

/** The addresses in a response with one list of endpoints. */
export const addressesIn = (proxy: TestProxy, { resources }: ReceivedResponse): string[] =>
  addressesOf(proxy.decode<DecodedEndpoints>(resources[0]));
