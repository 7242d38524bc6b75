import assert from 'node:assert/strict';
import { isWholeSet, type ResourceType, resourceTypes } from '../model/resource.ts';
import type { StreamMode } from './messages.ts';
import type { TestClient, TestHarness } from './test-client.ts';
import type { TestResponse } from './test-decode.ts';
import { testResource } from './test-view.ts';

/** The state of a client for one type. */
interface Known {
  /** `*` for a wildcard. */
  readonly wanted: Set<string>;
  /** Content by name. */
  readonly has: Map<string, string>;
  /** Nonce of the latest response that was read. */
  nonce: string;
}

/**
 * A client that follows the protocol: it keeps received resources, drops those that are unsubscribed or, in a whole
 * set, left out, and acknowledges each response when it reads it.
 */
export class ModelClient {
  readonly #harness: TestHarness;
  readonly #mode: StreamMode;
  readonly #types = new Map<ResourceType, Known>();
  #stream: TestClient;
  #unread: TestResponse[] = [];

  constructor(harness: TestHarness, mode: StreamMode) {
    this.#harness = harness;
    this.#mode = mode;
    this.#stream = harness.connect({ mode });
  }

  /** The resources of a type that it has, content by name. */
  has(type: ResourceType): ReadonlyMap<string, string> {
    return this.#known(type).has;
  }

  subscribe(type: ResourceType, name: string): void {
    const known = this.#known(type);
    if (known.wanted.has(name)) return;
    known.wanted.add(name);
    this.#ask(type, { subscribe: [name] });
  }

  unsubscribe(type: ResourceType, name: string): void {
    const known = this.#known(type);
    if (!known.wanted.delete(name)) return;
    for (const each of known.has.keys()) if (!wants(known, each)) known.has.delete(each);
    this.#ask(type, { unsubscribe: [name] });
  }

  /** Reconnects on another stream, and keeps its resources. */
  reconnect(): void {
    this.#stream.close();
    this.#unread = [];
    this.#stream = this.#harness.connect({ mode: this.#mode });
    for (const [type, known] of this.#types) {
      known.nonce = '';
      if (known.wanted.size === 0) continue;
      const versions = [...known.has].map(([name, content]) => [name, testResource(type, name, content).version]);
      this.#ask(type, {
        subscribe: [...known.wanted],
        initial: Object.fromEntries(versions) as Record<string, string>,
      });
    }
  }

  /**
   * Reads the oldest unread response. Returns false when there is none.
   *
   * @param isPicky rejects its first resource, and uses the rest
   * @returns with `isPicky` the name of the rejected resource
   */
  read(isPicky = false): string | boolean {
    this.#receive();
    const response = this.#unread.shift();
    if (response === undefined) return false;
    const refused = isPicky ? Object.keys(response.resources)[0] : undefined;
    this.#apply(response, refused);
    const known = this.#known(response.type);
    known.nonce = response.nonce;
    if (refused === undefined) this.#stream.ack(response, [...known.wanted]);
    else this.#stream.nack(response, [...known.wanted]);
    return refused ?? true;
  }

  /** Asserts that at most one response of a type is in flight. */
  checkFlights(): void {
    this.#receive();
    const types = this.#unread.map(({ type }) => type);
    assert.equal(new Set(types).size, types.length, 'two responses of one type are on their way');
  }

  /** To be called when nothing is left to read: asserts that it has all subscribed resources. */
  checkComplete(): void {
    for (const type of resourceTypes) {
      const known = this.#known(type);
      const there = new Map(
        this.#harness.view.names(type).map(name => [name, this.#harness.view.get(type, name)?.version]),
      );
      const expected = [...there].filter(([name]) => wants(known, name)).sort();
      // The state-of-the-world protocol cannot express the removal of these.
      const mayLinger = this.#mode === 'sotw' && !isWholeSet(type);
      const has = [...known.has].filter(([name]) => !mayLinger || there.has(name));
      const actual = has.map(([name, content]) => [name, testResource(type, name, content).version]).sort();
      assert.deepEqual(actual, expected, `of type ${type}`);
    }
  }

  #known(type: ResourceType): Known {
    const known = this.#types.get(type) ?? { wanted: new Set(), has: new Map(), nonce: '' };
    this.#types.set(type, known);
    return known;
  }

  #ask(type: ResourceType, change: Parameters<TestClient['ask']>[1]): void {
    const { wanted, nonce } = this.#known(type);
    if (this.#mode === 'sotw') this.#stream.ask(type, { names: [...wanted], nonce });
    else this.#stream.ask(type, change);
  }

  #receive(): void {
    this.#unread.push(...this.#stream.received());
  }

  #apply({ type, resources, removed }: TestResponse, refused: string | undefined): void {
    const known = this.#known(type);
    const isWhole = this.#mode === 'sotw' && isWholeSet(type);
    for (const name of isWhole ? [...known.has.keys()] : []) if (!(name in resources)) known.has.delete(name);
    for (const [name, content] of Object.entries(resources))
      if (name !== refused && wants(known, name)) known.has.set(name, content);
    for (const name of removed) known.has.delete(name);
  }
}

const wants = ({ wanted }: Known, name: string): boolean => wanted.has('*') || wanted.has(name);
