import type { RootPair } from '../../certificates/roots/root-secret.ts';
import type { Trust } from '../../certificates/roots/trust.ts';
import type { MeshRootCertificate, RootRole } from '../../kinds/mesh-root-certificate.ts';
import type { RotationStep } from '../../model/rotation/decide-rotation.ts';
import type { ProxyAcknowledgements } from '../../ports.ts';

/** Dependencies of the steps of the root controller. */
export interface RootDeps {
  readonly acknowledgements: ProxyAcknowledgements;
  /** Timeout of a rotation step. */
  readonly stepTimeoutMs: number;
  /** How long all proxies must have acknowledged before a step. */
  settleMs(step: RotationStep): number;
  /** Polling interval of a waiting rotation. */
  readonly pollMs: number;
  /** The cached trust of this process. */
  trust(): Trust;
  listRoots(): readonly MeshRootCertificate[];
  /** See `ensureRootKey`. */
  ensureKey(root: MeshRootCertificate, now: Date): Promise<RootPair>;
  /** Rejects with `Conflict` when the root was changed since it was read. */
  setRole(root: MeshRootCertificate, role: RootRole): Promise<void>;
  /** Deletes a root and its key. */
  remove(root: MeshRootCertificate): Promise<void>;
}
