import type { MeshAuthority, Unsubscribe } from '../ports.ts';

type Listener = Parameters<MeshAuthority['subscribe']>[0];

/** An authority with placeholder roots, which a test can change. */
export class AuthorityDouble
  implements Pick<MeshAuthority, 'trustDomain' | 'trustDomains' | 'trustBundle' | 'trustVersion' | 'subscribe'>
{
  readonly trustDomain = 'cluster.local';
  trustDomains: readonly string[] = ['cluster.local'];
  trustBundle = 'roots 1';
  readonly #listeners = new Set<Listener>();

  get trustVersion(): string {
    return this.trustBundle;
  }

  changeRoots(bundle: string, trustDomains: readonly string[] = this.trustDomains): void {
    this.trustBundle = bundle;
    this.trustDomains = trustDomains;
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: Listener): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
