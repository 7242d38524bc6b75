import { formatMicroTime, parseTime } from '@chandlery/api';
import {
  findCondition,
  reconcileAnnotation,
  type StepContext,
  type StepResult,
  setCondition,
} from '@chandlery/runtime';
import type { MeshRootCertificate } from '../../kinds/mesh-root-certificate.ts';
import { type DeclaredRoot, decideRotation, type RotationPlan } from '../../model/rotation/decide-rotation.ts';
import { findPendingProxies, type PendingProxies } from './find-pending-proxies.ts';
import type { RootDeps } from './root-deps.ts';

type PlannedStep = Extract<RotationPlan, { type: 'step' }>;

/** Takes the next step of the rotation to this root, once all proxies have acknowledged the previous one. */
export async function rotate(root: MeshRootCertificate, deps: RootDeps, context: StepContext): Promise<StepResult> {
  if (root.spec.replaces === undefined) return 'continue';
  const all = deps.listRoots();
  const old = all.find(({ metadata }) => metadata.name === root.spec.replaces);
  const others = all.filter(each => each !== old && each.metadata.name !== root.metadata.name);
  const plan = decideRotation(declared(root), old && declared(old), others.map(declared));
  if (plan.type === 'done' || old === undefined) return finish(root, context.now);
  if (plan.type === 'blocked')
    return report(root, 'Blocked', `The rotation cannot continue: ${plan.why}.`, context.now);
  return takeStep(plan, { root, old }, deps, context);
}

const declared = ({ metadata, spec }: MeshRootCertificate): DeclaredRoot => ({
  name: metadata.name ?? '',
  role: spec.role,
});

interface Pair {
  readonly root: MeshRootCertificate;
  readonly old: MeshRootCertificate;
}

async function takeStep(plan: PlannedStep, pair: Pair, deps: RootDeps, context: StepContext): Promise<StepResult> {
  const { root, old } = pair;
  if (hasStopped(root, plan) && !context.isRequested) return 'stop';
  const laggards = await findPendingProxies(plan.after, pair, deps);
  if (laggards.count > 0) return wait(plan, root, laggards, deps, context);
  if (!hasSettled(plan, root, deps, context.now)) return { retryAfterMs: deps.pollMs };
  report(root, 'Rotating', `The step ${plan.step} is taken.`, context.now);
  // The controller writes the new root with all other changes of this reconcile.
  if (plan.root === 'new' && plan.role !== undefined) root.spec.role = plan.role;
  else if (plan.role !== undefined) await deps.setRole(old, plan.role);
  else await deps.remove(old);
  return { retryAfterMs: deps.pollMs };
}

/** Records since when all proxies have acknowledged, and returns whether that is long enough. */
function hasSettled({ step }: PlannedStep, root: MeshRootCertificate, deps: RootDeps, now: Date): boolean {
  const before = root.status?.rotation?.step === step ? root.status.rotation : undefined;
  const followedSince = before?.followedSince ?? formatMicroTime(now);
  const since = before?.since ?? followedSince;
  root.status = { ...root.status, rotation: { step, since, followedSince, waitingFor: [] } };
  report(root, 'Waiting', `All proxies have followed; the step ${step} is about to be taken.`, now);
  return msSince(followedSince, now) >= deps.settleMs(step);
}

const msSince = (time: string, now: Date): number => now.getTime() - (parseTime(time)?.getTime() ?? 0);

const hasStopped = (root: MeshRootCertificate, { step }: PlannedStep): boolean =>
  findCondition(root, 'Rotated')?.reason === 'TimedOut' && root.status?.rotation?.step === step;

/** Stops the rotation after the timeout, until a reconcile is requested by annotation. A step is never skipped. */
function wait(
  { step }: PlannedStep,
  root: MeshRootCertificate,
  { names, what }: PendingProxies,
  { stepTimeoutMs, pollMs }: RootDeps,
  { now, isRequested }: StepContext,
): StepResult {
  const before = root.status?.rotation;
  const since = before?.step !== step || isRequested ? formatMicroTime(now) : before.since;
  root.status = { ...root.status, rotation: { step, since, waitingFor: [...names] } };
  if (msSince(since, now) < stepTimeoutMs) {
    report(root, 'Waiting', `The step ${step} waits for ${what}.`, now);
    return { retryAfterMs: pollMs };
  }
  const advice = `Fix them, then set the annotation ${reconcileAnnotation} to continue`;
  return report(
    root,
    'TimedOut',
    `The rotation has stopped before the step ${step}: it waited for ${what}. ${advice}.`,
    now,
  );
}

function finish(root: MeshRootCertificate, now: Date): StepResult {
  const { rotation: _, ...status } = root.status ?? {};
  root.status = status;
  setCondition(root, { type: 'Rotated', status: 'True', reason: 'Complete' }, now);
  return 'continue';
}

function report(root: MeshRootCertificate, reason: string, message: string, now: Date): StepResult {
  setCondition(root, { type: 'Rotated', status: 'False', reason, message }, now);
  return 'stop';
}
