import type { Trust } from '../../certificates/roots/trust.ts';
import type { MeshRootCertificate } from '../../kinds/mesh-root-certificate.ts';
import type { Precondition } from '../../model/rotation/decide-rotation.ts';
import type { RootDeps } from './root-deps.ts';

/** The proxies that a rotation waits for. */
export interface PendingProxies {
  /** 0: none. */
  readonly count: number;
  /** Node ids, sorted, at most a hundred. */
  readonly names: readonly string[];
  /** Completes the sentence "waits for …". */
  readonly what: string;
}

const maxNames = 100;
const maxNamesInSentence = 5;

/** Finds the proxies that have not met the precondition of a step. */
export async function findPendingProxies(
  after: Precondition,
  { root, old }: { readonly root: MeshRootCertificate; readonly old: MeshRootCertificate },
  deps: RootDeps,
): Promise<PendingProxies> {
  const trust = deps.trust();
  if (!isSeen(root, trust) || !isSeen(old, trust)) return waitFor([], 'this control plane to see the last step');
  const oldFingerprint = old.status?.fingerprint ?? '';
  const { done, waitingFor } = await deps.acknowledgements.haveAllAcknowledged(trust.version);
  if (!done) return waitFor(waitingFor, `proxies to acknowledge their secrets${listed(waitingFor)}`);
  const staying = after === 'departed' ? await deps.acknowledgements.listCertifiedBy(oldFingerprint) : [];
  if (staying.length > 0) return waitFor(staying, `proxies to get certificates of the new root${listed(staying)}`);
  return { count: 0, names: [], what: 'nobody' };
}

/** Whether the cached trust includes the last step. */
function isSeen({ metadata, spec }: MeshRootCertificate, { roots }: Trust): boolean {
  const role = roots.find(({ name }) => name === metadata.name)?.role ?? 'inactive';
  return role === spec.role;
}

const waitFor = (names: readonly string[], what: string): PendingProxies => ({
  count: Math.max(1, names.length),
  names: [...names].sort().slice(0, maxNames),
  what,
});

function listed(names: readonly string[]): string {
  if (names.length === 0) return '';
  const some = [...names].sort().slice(0, maxNamesInSentence).join(', ');
  return `: ${some}${names.length > maxNamesInSentence ? ` and ${names.length - maxNamesInSentence} more` : ''}`;
}
