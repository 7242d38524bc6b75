import type { AtomicClient } from '@chandlery/client';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { meshRootCertificates } from '../kinds/mesh-root-certificate.ts';
import { meshWorkloadCertificates } from '../kinds/mesh-workload-certificate.ts';
import type { MeshAuthority } from '../ports.ts';
import { type AuthorityOptions, createAuthority } from './create-authority.ts';

/** An authority on a plane of its own. */
export interface TestAuthority extends AsyncDisposable {
  readonly plane: TestPlane;
  /** Client of the platform cluster. */
  readonly client: AtomicClient;
  readonly authority: MeshAuthority;
  /** Adds a replica on the same store. */
  addReplica(options?: Omit<AuthorityOptions, 'client'>): Promise<MeshAuthority>;
}

/** Starts a plane with the kinds of certificates. */
export const startCertificatesPlane = (): Promise<TestPlane> =>
  startTestPlane({ kinds: [meshRootCertificates.declaration, meshWorkloadCertificates.declaration] });

/** Starts an authority: `await using mesh = await startTestAuthority()`. Its clock is independent of the plane. */
export async function startTestAuthority(options: Omit<AuthorityOptions, 'client'> = {}): Promise<TestAuthority> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startCertificatesPlane());
  const client = plane.connect('platform');
  const replicas = stack.use(new AsyncDisposableStack());
  const addReplica = async (more: Omit<AuthorityOptions, 'client'> = options): Promise<MeshAuthority> =>
    replicas.use(await createAuthority({ ...more, client }));
  const authority = await addReplica();
  const all = stack.move();
  return { plane, client, authority, addReplica, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
