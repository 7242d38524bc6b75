import { isError, toError } from '@chandlery/api';
import { type StatedCondition, type Step, type StepResult, setCondition } from '@chandlery/runtime';
import type { Mesh } from '../../kinds/mesh.ts';

/** The observed state of an open mesh. */
export interface MeshObservation {
  readonly services: number;
  /** Why endpoints may be stale, sorted; empty while all are fresh. */
  readonly staleReasons: readonly string[];
  /** Kinds of policies that the cluster does not serve, sorted. */
  readonly missingKinds: readonly string[];
}

export interface MeshDeps {
  /** Rejects when the mesh cannot be read, with the signal's reason on timeout. */
  readonly observe: (tenant: string, signal: AbortSignal) => Promise<MeshObservation>;
  /** Number of proxies of the mesh on all replicas. */
  readonly countProxies: (tenant: string) => Promise<number>;
  /** How long to wait for the initial read of a mesh. */
  readonly timeoutMs: number;
  readonly checkIntervalMs: number;
}

/** Reports in the status of a mesh whether it can be read, and its size. */
export const reportMesh: Step<Mesh, MeshDeps> = async (mesh, deps, { now, signal }): Promise<StepResult> => {
  const tenant = mesh.metadata.name ?? '';
  const timeout = AbortSignal.timeout(deps.timeoutMs);
  const sight = await deps
    .observe(tenant, AbortSignal.any([signal, timeout]))
    .catch((error: unknown) => toError(error));
  signal.throwIfAborted();
  const proxies = await deps.countProxies(tenant);
  const services = isError(sight) ? mesh.status?.services : sight.services;
  mesh.status = { ...mesh.status, proxies, ...(services === undefined ? {} : { services }) };
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
    message: `the configuration of proxies may be stale: ${first}${more}`,
  };
}

/** A mesh works without some kinds of policies, but their absence is reported. */
const readOf = (missingKinds: readonly string[]): Pick<StatedCondition, 'reason' | 'message'> =>
  missingKinds.length === 0
    ? { reason: 'Read' }
    : {
        reason: 'KindsMissing',
        message: `the cluster of the policies does not serve ${missingKinds.join(', ')}: there are none until their CRDs are installed`,
      };
