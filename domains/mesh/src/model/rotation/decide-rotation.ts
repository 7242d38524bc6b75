import type { RootRole } from '../../kinds/mesh-root-certificate.ts';

/** What a rotation is decided from: roots by what is declared of them. */
export interface DeclaredRoot {
  readonly name: string;
  readonly role: RootRole;
}

/** What must have happened before a step is taken; each includes the ones before it. */
export type Precondition =
  /** All proxies have taken over the trust of the moment. */
  | 'followed'
  /** No connected proxy has proved itself by a certificate of the old root. */
  | 'departed';

/** The steps in their order. */
export type RotationStep = 'Introduce' | 'Promote' | 'Demote' | 'Retire' | 'Remove';

/** Reports of replicas may be as old. */
const reportsMs = 5000;

/** Agents ask for the trust this often, unless they are told otherwise. */
export const trustPollMs = 15_000;

/** gRPC libraries read the files of their agents this often, as their bootstrap says. */
const rereadMs = 10_000;

/**
 * For how long all connected proxies must have followed before a step is taken. Who has roots and certificates in files
 * does not acknowledge them, and gets time: to read a new root before it signs, and to stop using certificates of the old one
 * before it is given up.
 */
export function settleMsOf(step: RotationStep): number {
  if (step === 'Promote') return reportsMs + trustPollMs + rereadMs;
  return step === 'Retire' ? reportsMs + rereadMs : reportsMs;
}

/** What comes next. */
export type RotationPlan =
  | { readonly type: 'done' }
  /** People have to act. */
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

/** By the roles of the new and of the old root. What is not here is not a state of a rotation. */
const steps: Readonly<Partial<Record<`${RootRole} ${RootRole}`, PlannedStep>>> = {
  'inactive active': { type: 'step', step: 'Introduce', after: 'followed', root: 'new', role: 'passive' },
  'passive active': { type: 'step', step: 'Promote', after: 'followed', root: 'new', role: 'active' },
  'active active': { type: 'step', step: 'Demote', after: 'followed', root: 'old', role: 'passive' },
  'active passive': { type: 'step', step: 'Retire', after: 'departed', root: 'old', role: 'inactive' },
  'active inactive': { type: 'step', step: 'Remove', after: 'followed', root: 'old', role: undefined },
};

/**
 * The next step of putting a new root in the place of an old one. The roles are all there is to know: whoever comes after
 * a crash decides the same. `others` are the roots besides the two.
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
  `"${fresh.name}" is ${fresh.role} and "${old.name}" is ${old.role}; make "${old.name}" active to go on`;
