import type { MeshRootCertificate, RootRole } from '../kinds/mesh-root-certificate.ts';

/** A change of the roots: a creation has no `before`, a deletion no `after`. */
export interface RootChange {
  readonly before?: MeshRootCertificate;
  readonly after?: MeshRootCertificate;
}

/** A rotation needs two roots in use; more would make trust bundles and handshakes longer. */
const maxInUse = 2;

/** Why a change of the roots is rejected; undefined for an allowed one. `roots` are all stored roots. */
export function rootChangeProblem(
  roots: readonly MeshRootCertificate[],
  { before, after }: RootChange,
): string | undefined {
  if (before && after) {
    const problem = updateProblem(before.spec, after.spec);
    if (problem !== undefined) return problem;
  }
  const name = (before ?? after)?.metadata.name;
  const others = roots.filter(({ metadata }) => metadata.name !== name);
  return rolesProblem([...others, ...(after ? [after] : [])], before?.spec.role, after?.spec.role);
}

type Spec = MeshRootCertificate['spec'];

function updateProblem(before: Spec, after: Spec): string | undefined {
  if (before.trustDomain !== after.trustDomain)
    return 'the trust domain of a root cannot be changed; make another root';
  return isLeap(before.role, after.role)
    ? `a root cannot go from ${before.role} to ${after.role}; make it passive first`
    : undefined;
}

/** A root that stops signing must be trusted for a while longer, or connections fail. */
const isLeap = (before: RootRole, after: RootRole): boolean =>
  before !== after && before !== 'passive' && after !== 'passive';

function rolesProblem(
  roots: readonly MeshRootCertificate[],
  before: RootRole | undefined,
  after: RootRole | undefined,
): string | undefined {
  const count = (isMeant: (role: RootRole) => boolean): number => roots.filter(({ spec }) => isMeant(spec.role)).length;
  const takesInUse = after !== undefined && after !== 'inactive' && (before ?? 'inactive') === 'inactive';
  if (takesInUse && count(role => role !== 'inactive') > maxInUse) {
    return `at most ${maxInUse} roots can be active or passive; make another one inactive first`;
  }
  const takesActive = before === 'active' && after !== 'active';
  if (takesActive && count(role => role === 'active') === 0) {
    return 'at least one root must be active; make another one active first';
  }
  return undefined;
}
