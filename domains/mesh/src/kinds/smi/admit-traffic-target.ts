import { type Admission, allow, refuse } from './admission.ts';
import { maxRules } from './limits.ts';
import type { SmiTrafficTarget } from './traffic-target.ts';

/**
 * Whether a target may say what it says. Only whoever may write in the namespace of a service account may let others
 * call it.
 */
export function admitTrafficTarget(target: SmiTrafficTarget): Admission<SmiTrafficTarget> {
  const { destination } = target.spec;
  const namespace = target.metadata.namespace ?? '';
  if ((destination.namespace || namespace) !== namespace) {
    return refuse(
      `spec.destination.namespace: must be "${namespace}", the namespace of the target: access is given where the called service is`,
    );
  }
  if (destination.port !== undefined && portOf(destination) === undefined) {
    return refuse(`spec.destination.port: "${destination.port}" is no port number`);
  }
  if (target.spec.rules.length > maxRules)
    return refuse(`spec.rules: there are ${target.spec.rules.length}, and at most ${maxRules} are allowed`);
  const rule = target.spec.rules.find(({ kind, matches = [] }) => kind !== 'HTTPRouteGroup' && matches.length > 0);
  if (rule !== undefined)
    return refuse(`spec.rules: matches of ${rule.kind} "${rule.name}" have no names to choose by`);
  return allow;
}

/** The only port on which a target allows anything; undefined for what is no port. */
export function portOf({ port }: { readonly port?: number | string }): number | undefined {
  const value = /^\d{1,5}$/.test(String(port)) ? Number(port) : 0;
  return value >= 1 && value <= 65_535 ? value : undefined;
}
