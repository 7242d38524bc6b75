import type { RootPair } from '../../certificates/roots/root-secret.ts';
import type { Trust } from '../../certificates/roots/trust.ts';
import type { MeshRootCertificate, RootRole } from '../../kinds/mesh-root-certificate.ts';
import type { RotationStep } from '../../model/rotation/decide-rotation.ts';
import type { ProxyAcknowledgements } from '../../ports.ts';

/** What the steps over roots depend on. */
export interface RootDeps {
  readonly acknowledgements: ProxyAcknowledgements;
  /** How long a step of a rotation may wait. */
  readonly stepTimeoutMs: number;
  /** For how long all must have followed before a step is taken. */
  settleMs(step: RotationStep): number;
  /** How often it looks whether it may go on. */
  readonly pollMs: number;
  /** As this process knows it. */
  trust(): Trust;
  listRoots(): readonly MeshRootCertificate[];
  /** See `ensureRootKey`. */
  ensureKey(root: MeshRootCertificate, now: Date): Promise<RootPair>;
  /** Fails with `Conflict` when the root is no longer as it was read. */
  setRole(root: MeshRootCertificate, role: RootRole): Promise<void>;
  /** Removes a root, and with it its key. */
  remove(root: MeshRootCertificate): Promise<void>;
}
