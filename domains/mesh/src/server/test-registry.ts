import { ChandleryError } from '@chandlery/api';
import type { ConnectedProxy, Proxy, ProxyRegistry } from '../ports.ts';
import { TestView } from '../xds/test-view.ts';

/** A registry with one view for each tenant. */
export class TestProxyRegistry implements ProxyRegistry {
  readonly connected = new Set<Proxy>();
  /** Node ids of proxies that were asked to reconnect. */
  readonly expected = new Set<string>();
  readonly #views = new Map<string, TestView>();
  #closed = new AbortController();
  readonly #waiters = new Map<string, PromiseWithResolvers<void>>();

  /** Adds a tenant's mesh; one that is not ready has no data yet. */
  addMesh(tenant: string, { isReady = true } = {}): TestView {
    const view = new TestView();
    this.#views.set(tenant, view);
    if (!isReady) this.#waiters.set(tenant, Promise.withResolvers());
    return view;
  }

  makeReady(tenant: string): void {
    this.#waiters.get(tenant)?.resolve();
    this.#waiters.delete(tenant);
  }

  /** Reloads every mesh: earlier views are no longer kept up to date. */
  reloadMeshes(): void {
    this.#closed.abort();
    this.#closed = new AbortController();
  }

  isReady(tenant: string): boolean {
    return this.#views.has(tenant) && !this.#waiters.has(tenant);
  }

  async ready(tenant: string, signal: AbortSignal): Promise<void> {
    this.#viewOf(tenant);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await Promise.race([aborted, this.#waiters.get(tenant)?.promise]);
  }

  registerProxy(proxy: Proxy): ConnectedProxy {
    const view = this.#viewOf(proxy.identity.tenant);
    if (!this.isReady(proxy.identity.tenant)) throw new ChandleryError('NotReady', 'the mesh is not ready');
    this.connected.add(proxy);
    return {
      view,
      closed: this.#closed.signal,
      releaseForReconnect: () => {
        this.connected.delete(proxy);
        this.expected.add(proxy.nodeId);
      },
      [Symbol.dispose]: () => void this.connected.delete(proxy),
    };
  }

  #viewOf(tenant: string): TestView {
    const view = this.#views.get(tenant);
    if (!view) throw new ChandleryError('UnknownMesh', `there is no mesh "${tenant}"`);
    return view;
  }
}
