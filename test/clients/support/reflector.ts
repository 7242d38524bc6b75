import type { TestLandscape } from '@chandlery/testing';
import { Agent, request } from 'undici';

/** An object as a reflector keeps it. */
export interface Reflected {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Record<string, string>;
  };
  readonly data?: Record<string, string>;
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Reflected & { readonly code?: number };
}

/** Thrown inside when the server no longer knows the version that the reflector continues from. */
class Expired extends Error {}

/**
 * A copy of a collection in the way of client-go's reflector: list (or a watch that begins with the initial events),
 * then watch from there; a watch that ends is resumed, and 410 starts over.
 */
export class Reflector implements AsyncDisposable {
  readonly objects = new Map<string, Reflected>();
  /** What happened, for the tests to see. */
  readonly log: string[] = [];
  readonly #url: string;
  readonly #token: string;
  readonly #agent: Agent;
  readonly #isStreaming: boolean;
  #stopping = new AbortController();
  #version = '';
  #running: Promise<void> = Promise.resolve();

  /** `isStreaming`: the first state comes by the watch itself (`sendInitialEvents`) instead of a list. */
  constructor(landscape: TestLandscape, path: string, { isStreaming }: { readonly isStreaming: boolean }) {
    this.#url = landscape.url + path;
    this.#token = landscape.token;
    this.#agent = new Agent({ connect: { ca: landscape.ca }, bodyTimeout: 0 });
    this.#isStreaming = isStreaming;
  }

  /** The version that a restart continues from. */
  get version(): string {
    return this.#version;
  }

  /** Begins, or resumes from `version`. */
  start(version = ''): void {
    this.#stopping = new AbortController();
    this.#version = version;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#agent.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (this.#version === '' && !this.#isStreaming) await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (error instanceof Expired) this.#version = '';
        this.log.push(error instanceof Expired ? 'expired' : 'interrupted');
        await new Promise(resolve => setTimeout(resolve, 20));
      }
    }
  }

  async #list(): Promise<void> {
    const found: Reflected[] = [];
    let next = '';
    do {
      const query = next === '' ? 'limit=3' : `limit=3&continue=${encodeURIComponent(next)}`;
      const { body } = await this.#get(query);
      const page = (await body.json()) as {
        metadata: { resourceVersion: string; continue?: string };
        items: Reflected[];
      };
      found.push(...page.items);
      this.#version = page.metadata.resourceVersion;
      next = page.metadata.continue ?? '';
    } while (next !== '');
    this.#replace(found);
    this.log.push('listed');
  }

  async #watch(): Promise<void> {
    const isInitial = this.#version === '';
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const start = isInitial ? initial : `resourceVersion=${this.#version}`;
    const { body } = await this.#get(`watch=true&allowWatchBookmarks=true&timeoutSeconds=2&${start}`);
    const pending: Reflected[] | undefined = isInitial ? [] : undefined;
    let state = pending;
    let rest = '';
    for await (const chunk of body) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) state = this.#handle(JSON.parse(line) as WatchEvent, state);
    }
    this.log.push('ended');
  }

  /** `initial`: the objects so far while the first state is still arriving. */
  #handle({ type, object }: WatchEvent, initial: Reflected[] | undefined): Reflected[] | undefined {
    if (type === 'ERROR') throw object.code === 410 ? new Expired() : new Error(JSON.stringify(object));
    const isInitialEnd = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
    if (initial !== undefined && !isInitialEnd) return [...initial, object];
    this.#version = object.metadata.resourceVersion;
    if (type === 'BOOKMARK') {
      this.log.push(isInitialEnd ? 'streamed' : 'bookmark');
      if (isInitialEnd) this.#replace(initial ?? []);
      return undefined;
    }
    this.log.push(`${type} ${object.metadata.name}`);
    if (type === 'DELETED') this.objects.delete(object.metadata.name);
    else this.objects.set(object.metadata.name, object);
    return undefined;
  }

  #replace(found: readonly Reflected[]): void {
    this.objects.clear();
    for (const object of found) this.objects.set(object.metadata.name, object);
  }

  async #get(query: string): Promise<Awaited<ReturnType<typeof request>>> {
    const answer = await request(`${this.#url}?${query}`, {
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}` },
      signal: this.#stopping.signal,
    });
    if (answer.statusCode === 200) return answer;
    const text = await answer.body.text();
    throw answer.statusCode === 410 ? new Expired() : new Error(text);
  }
}
