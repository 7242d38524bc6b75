import { isError, toError } from '@chandlery/api';
import { type StatedCondition, type Step, type StepResult, setCondition } from '@chandlery/runtime';
import type { Mesh } from '../../kinds/mesh.ts';

/** What is seen of a mesh that has been read. */
export interface MeshObservation {
  readonly services: number;
  /** Why its endpoints may be old, sorted; empty while they are fresh. */
  readonly staleReasons: readonly string[];
  /** Kinds of policies that their cluster does not serve, sorted. */
  readonly missingKinds: readonly string[];
}

export interface MeshDeps {
  /** Rejects when it cannot be read, with the signal's reason when that takes too long. */
  readonly observe: (tenant: string, signal: AbortSignal) => Promise<MeshObservation>;
  /** How many proxies of the mesh are connected, to all replicas. */
  readonly countProxies: (tenant: string) => Promise<number>;
  /** How long to wait for a mesh that is being read. */
  readonly timeoutMs: number;
  readonly checkIntervalMs: number;
}

/** Says in the status of a mesh whether all of it can be read, and how much there is. */
export const reportMesh: Step<Mesh, MeshDeps> = async (mesh, deps, { now, signal }): Promise<StepResult> => {
  const tenant = mesh.metadata.name ?? '';
  const timeout = AbortSignal.timeout(deps.timeoutMs);
  const sight = await deps
    .observe(tenant, AbortSignal.any([signal, timeout]))
    .catch((error: unknown) => toError(error));
  signal.throwIfAborted();
  const proxies = await deps.countProxies(tenant);
  const services = isError(sight) ? mesh.status?.services : sight.services;
  mesh.status = { ...mesh.status, proxies, ...(services !== undefined && { services }) };
  setCondition(mesh, isError(sight) ? unread(sight, timeout.aborted) : describe(sight), now);
  return { retryAfterMs: deps.checkIntervalMs };
};

const unread = (error: Error, isLate: boolean): StatedCondition => ({
  type: 'Ready',
  status: 'False',
  reason: isLate ? 'Reading' : 'Unreadable',
  message: isLate
    ? 'not everything has been read yet; see whether all clusters are ready, and the AccessRequests of the mesh granted'
    : error.message,
});

function describe({ staleReasons, missingKinds }: MeshObservation): StatedCondition {
  const [first, ...others] = staleReasons;
  if (first === undefined) return { type: 'Ready', status: 'True', ...readOf(missingKinds) };
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return {
    type: 'Ready',
    status: 'False',
    reason: 'Stale',
    message: `what proxies are told may be old: ${first}${more}`,
  };
}

/** A mesh without some kinds of policies works, and may still not do what somebody expects. */
const readOf = (missingKinds: readonly string[]): Pick<StatedCondition, 'reason' | 'message'> =>
  missingKinds.length === 0
    ? { reason: 'Read' }
    : {
        reason: 'KindsMissing',
        message: `the cluster of the policies does not serve ${missingKinds.join(', ')}: there are none until their CRDs are installed`,
      };
