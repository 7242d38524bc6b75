import { apiError, badRequest, isError } from '@chandlery/api';
import type { AtomicResult, AtomicWrite, ObjectRef } from '@chandlery/client';
import { isMaster, type UserInfo } from '../access/user.ts';
import type { Behaviours } from '../behaviours/behaviour.ts';
import { builtInBehaviours } from '../behaviours/index.ts';
import type { Verb } from '../calls/resource-attributes.ts';
import type { Kernel } from '../kernel.ts';
import type { TargetedWrite } from '../resources/commit-failure.ts';
import { commitObjects } from '../resources/commit-objects.ts';
import type { ResourceDeps, Target } from '../resources/request.ts';
import { clientFailure } from './client-failure.ts';
import { findTarget, peekTarget } from './client-target.ts';

const verbs = { create: 'create', replace: 'update', remove: 'delete', check: 'get' } as const satisfies Record<
  AtomicWrite['type'],
  Verb
>;

/** Built-in kinds whose behaviour depends on the object alone, so that it can run in a commit as well. */
const selfContained: readonly string[] = ['/secrets', '/configmaps'];
/** Admission of the domains is skipped: only domains commit. */
const behaviours: Behaviours = new Map([...builtInBehaviours].filter(([resource]) => selfContained.includes(resource)));

/** The dependencies of commits; made once for each client. */
export const atomicDeps = (kernel: Kernel): ResourceDeps => ({ ...kernel.deps, behaviours });

/** The committing client. */
export interface Committing {
  readonly cluster: string;
  readonly user: UserInfo;
  readonly fieldManager: string;
  readonly deps: ResourceDeps;
}

/** Writes several objects of a logical cluster, all or none. */
export async function commitAtomically(
  kernel: Kernel,
  { cluster, user, fieldManager, deps }: Committing,
  writes: readonly AtomicWrite[],
): Promise<readonly AtomicResult[]> {
  try {
    if (!isMaster(user)) throw apiError('Forbidden', 'only the landscape itself may write several objects at once');
    const targeted = peekTargets(kernel, cluster, writes) ?? (await findTargets(kernel, cluster, writes));
    return await commitObjects(deps, targeted, { user, fieldManager, isInternal: true });
  } catch (thrown) {
    throw isError(thrown, 'UniqueViolation') ? thrown : clientFailure(thrown);
  }
}

/** The result of {@link findTargets} from memory, the usual case; undefined when it has to be loaded. */
function peekTargets(
  kernel: Kernel,
  cluster: string,
  writes: readonly AtomicWrite[],
): readonly TargetedWrite[] | undefined {
  const targeted: TargetedWrite[] = [];
  for (const write of writes) {
    const target = peekTarget(kernel, cluster, verbs[write.type], placeOf(write));
    if (target === undefined) return undefined;
    checkCommittable(write, target);
    targeted.push({ write, target });
  }
  return targeted;
}

async function findTargets(
  kernel: Kernel,
  cluster: string,
  writes: readonly AtomicWrite[],
): Promise<readonly TargetedWrite[]> {
  const targeted: TargetedWrite[] = [];
  for (const write of writes) {
    const target = await findTarget(kernel, cluster, verbs[write.type], placeOf(write));
    checkCommittable(write, target);
    targeted.push({ write, target });
  }
  return targeted;
}

/** The address of a write. A creation refers to its collection and takes the name from its object. */
function placeOf(write: AtomicWrite): ObjectRef {
  const { ref } = write;
  if ('subresource' in ref && ref.subresource !== undefined)
    throw badRequest('a commit writes whole objects, not sub-resources of them');
  const name = write.type === 'create' ? (write.object.metadata.name ?? '') : write.ref.name;
  if (name === '') throw badRequest('each object of a commit needs a name');
  return { ...ref, name };
}

function checkCommittable({ type }: AtomicWrite, { resource: { kind } }: Target): void {
  const { resource } = kind.stored;
  if (type !== 'check' && builtInBehaviours.has(resource) && !behaviours.has(resource))
    throw badRequest(`${resource.replace(/^\//, '')} cannot be written together with other objects`);
}
