import { firstRepeated } from '@chandlery/api';
import { maxRules } from '../kinds/smi/limits.ts';
import type { SmiTrafficSplit } from '../kinds/smi/traffic-split.ts';
import { type Admission, allow, reject } from './admission.ts';

/** Envoy and gRPC sum up weights in 32 bits. */
const maxSum = 4_294_967_295;

/** Admits splits that are valid by themselves and beside the other splits of the namespace. */
export function admitTrafficSplit(
  split: SmiTrafficSplit,
  { others }: { readonly others: readonly SmiTrafficSplit[] },
): Admission<SmiTrafficSplit> {
  const { service: root } = split.spec;
  const rivals = others.filter(({ metadata }) => metadata.name !== split.metadata.name);
  const twin = rivals.find(({ spec }) => spec.service === root);
  if (twin !== undefined) {
    return reject(
      `TrafficSplit "${twin.metadata.name}" already divides the service "${root}"; change that one`,
      'Conflict',
    );
  }
  const problem = matchesProblem(split) ?? weightProblem(split) ?? backendProblem(split) ?? chainProblem(split, rivals);
  return problem === undefined ? allow : reject(problem);
}

function matchesProblem({ spec: { matches = [] } }: SmiTrafficSplit): string | undefined {
  if (matches.length <= maxRules) return undefined;
  return `spec.matches: there are ${matches.length}, and at most ${maxRules} are allowed`;
}

function weightProblem({ spec: { backends } }: SmiTrafficSplit): string | undefined {
  const bad = backends.find(({ weight }) => !Number.isSafeInteger(weight) || weight < 0);
  if (bad !== undefined) {
    return `spec.backends: the weight of "${bad.service}" must be a whole number, 0 or more (in v1alpha1: thousandths)`;
  }
  const sum = backends.reduce((total, { weight }) => total + weight, 0);
  return sum > maxSum ? `spec.backends: the weights must not add up to more than ${maxSum}` : undefined;
}

function backendProblem({ spec: { service: root, backends } }: SmiTrafficSplit): string | undefined {
  const names = backends.map(({ service }) => service);
  if (names.includes(root)) {
    return `spec.backends: the service "${root}" cannot be a backend of itself; give its present version a service of its own`;
  }
  const twice = firstRepeated(names);
  return twice === undefined ? undefined : `spec.backends: the service "${twice}" is listed twice; add its weights`;
}

/** A backend of a split cannot be the root of another one. */
function chainProblem({ spec }: SmiTrafficSplit, rivals: readonly SmiTrafficSplit[]): string | undefined {
  const names = new Set(spec.backends.map(({ service }) => service));
  const below = rivals.find(rival => names.has(rival.spec.service));
  if (below !== undefined) {
    return `spec.backends: "${below.spec.service}" is itself divided, by TrafficSplit "${below.metadata.name}"; splits cannot be chained`;
  }
  const above = rivals.find(rival => rival.spec.backends.some(({ service }) => service === spec.service));
  return (
    above &&
    `spec.service: "${spec.service}" is a backend of TrafficSplit "${above.metadata.name}"; splits cannot be chained`
  );
}
