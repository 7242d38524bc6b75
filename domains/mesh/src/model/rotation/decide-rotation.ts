import type { RootRole } from '../../kinds/mesh-root-certificate.ts';

/** The declared state of a root. */
export interface DeclaredRoot {
  readonly name: string;
  readonly role: RootRole;
}

/** The condition of a step; each includes the previous ones. */
export type Precondition =
  /** All proxies have acknowledged the current trust. */
  | 'followed'
  /** No connected proxy has authenticated with a certificate of the old root. */
  | 'departed';

/** The steps in order. */
export type RotationStep = 'Introduce' | 'Promote' | 'Demote' | 'Retire' | 'Remove';

/** Maximum age of the reports of replicas. */
const reportsMs = 5000;

/** Default polling interval of agents for the trust. */
export const trustPollMs = 15_000;

/** Interval at which gRPC libraries reload certificate files, as in their bootstrap. */
const rereadMs = 10_000;

/**
 * How long all connected proxies must have acknowledged before a step. Clients with roots and certificates in files
 * send no acknowledgement and need time: to load a new root before it signs, and to stop using certificates of the old
 * one before it is retired.
 */
export function settleMsOf(step: RotationStep): number {
  if (step === 'Promote') return reportsMs + trustPollMs + rereadMs;
  return step === 'Retire' ? reportsMs + rereadMs : reportsMs;
}

/** The next step of a rotation. */
export type RotationPlan =
  | { readonly type: 'done' }
  /** Requires manual action. */
  | { readonly type: 'blocked'; readonly why: string }
  | {
      readonly type: 'step';
      readonly step: RotationStep;
      readonly after: Precondition;
      readonly root: 'new' | 'old';
      /** Undefined: the root is deleted. */
      readonly role: RootRole | undefined;
    };

type PlannedStep = Extract<RotationPlan, { type: 'step' }>;

/** Steps by the roles of the new and the old root. Other combinations are not states of a rotation. */
const steps: Readonly<Partial<Record<`${RootRole} ${RootRole}`, PlannedStep>>> = {
  'inactive active': { type: 'step', step: 'Introduce', after: 'followed', root: 'new', role: 'passive' },
  'passive active': { type: 'step', step: 'Promote', after: 'followed', root: 'new', role: 'active' },
  'active active': { type: 'step', step: 'Demote', after: 'followed', root: 'old', role: 'passive' },
  'active passive': { type: 'step', step: 'Retire', after: 'departed', root: 'old', role: 'inactive' },
  'active inactive': { type: 'step', step: 'Remove', after: 'followed', root: 'old', role: undefined },
};

/**
 * Decides the next step of replacing an old root by a new one. The roles are the whole state, so that another process
 * decides the same after a crash. `others` are the remaining roots.
 */
export function decideRotation(
  fresh: DeclaredRoot,
  old: DeclaredRoot | undefined,
  others: readonly DeclaredRoot[],
): RotationPlan {
  if (old === undefined) return { type: 'done' };
  const next = steps[`${fresh.role} ${old.role}`];
  if (next === undefined) return { type: 'blocked', why: whyStuck(fresh, old) };
  const thirds = others.filter(({ role }) => role !== 'inactive').map(({ name }) => name);
  if (next.step === 'Introduce' && thirds.length > 0) {
    return { type: 'blocked', why: `at most two roots can be in use; make ${thirds.sort().join(', ')} inactive first` };
  }
  return next;
}

const whyStuck = (fresh: DeclaredRoot, old: DeclaredRoot): string =>
  `"${fresh.name}" is ${fresh.role} and "${old.name}" is ${old.role}; make "${old.name}" active to continue`;
