import type { Provider } from '../../kinds/index.ts';
import { healthPort, predefinedVariables } from './provider-container.ts';

/** A problem that only the author of the provider can fix; undefined without one. */
export function problemOf(provider: Provider): string | undefined {
  return nameProblem(provider) ?? environmentProblem(provider) ?? portProblem(provider);
}

/**
 * The older provider of the same name among those of other kinds. Objects of providers carry only the name, so that
 * only one provider of a name can be installed.
 */
export const elderOf = (provider: Provider, namesakes: readonly Provider[]): Provider | undefined =>
  namesakes.find(other => ageKey(other) < ageKey(provider));

/** The problem when there is an older one. */
export const namesakeProblem = (elder: Provider | undefined): string | undefined =>
  elder &&
  `There is a ${elder.kind} of the same name, "${elder.metadata.name}"; create the provider with another name, or delete the other one.`;

/** The kind decides between providers of the same second. */
const ageKey = ({ kind, metadata }: Provider): string => `${metadata.creationTimestamp} ${kind}`;

/** The account of a provider `x-init` would be the one of the init job of `x`. */
function nameProblem({ metadata: { name = '' } }: Provider): string | undefined {
  if (!name.endsWith('-init')) return undefined;
  return `The name "${name}" ends in "-init", which is reserved for init jobs; create the provider with another name.`;
}

function environmentProblem({ spec }: Provider): string | undefined {
  const predefined = new Set(predefinedVariables.map(({ name }) => name));
  const clashes = (spec.env ?? []).map(({ name }) => name).filter(name => predefined.has(name));
  if (clashes.length === 0) return undefined;
  return `spec.env sets ${clashes.sort().join(', ')}, which every provider is given anyway; remove them from spec.env.`;
}

function portProblem({ spec: { metrics } }: Provider): string | undefined {
  if (metrics.disabled || metrics.port !== healthPort) return undefined;
  return `spec.metrics.port is ${healthPort}, where every provider answers health probes; choose another port.`;
}
