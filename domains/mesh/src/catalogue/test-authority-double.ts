import type { WorkloadIdentity } from '../model/identity.ts';
import type { MeshAuthority, Unsubscribe, WorkloadCertificate } from '../ports.ts';

type Listener = Parameters<MeshAuthority['subscribe']>[0];

/** Has roots and certificates that are nothing but words, and changes them when a test says so. */
export class AuthorityDouble
  implements
    Pick<MeshAuthority, 'trustDomain' | 'trustDomains' | 'trustBundle' | 'trustVersion' | 'certificateOf' | 'subscribe'>
{
  readonly trustDomain = 'cluster.local';
  trustDomains: readonly string[] = ['cluster.local'];
  trustBundle = 'roots 1';
  readonly #days = new Map<string, number>();
  readonly #listeners = new Set<Listener>();

  get trustVersion(): string {
    return this.trustBundle;
  }

  certificateOf({ serviceAccount }: WorkloadIdentity): WorkloadCertificate {
    const day = this.#days.get(serviceAccount) ?? 1;
    return { chain: `chain ${day}`, privateKey: 'key', notAfter: new Date(Date.UTC(2030, 0, day)) };
  }

  renew(identity: WorkloadIdentity): void {
    this.#days.set(identity.serviceAccount, (this.#days.get(identity.serviceAccount) ?? 1) + 1);
    for (const listener of this.#listeners) listener({ renewed: identity });
  }

  changeRoots(bundle: string, trustDomains: readonly string[] = this.trustDomains): void {
    this.trustBundle = bundle;
    this.trustDomains = trustDomains;
    for (const listener of this.#listeners) listener('roots');
  }

  subscribe(listener: Listener): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
