import type { MeshAuthority, Unsubscribe } from '../ports.ts';

type Listener = Parameters<MeshAuthority['subscribe']>[0];

/** Has roots that are nothing but words, and changes them when a test says so. */
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
