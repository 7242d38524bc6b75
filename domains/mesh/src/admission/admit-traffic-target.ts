import { maxRules } from '../kinds/smi/limits.ts';
import { portOf, type SmiTrafficTarget } from '../kinds/smi/traffic-target.ts';
import { type Admission, allow, reject } from './admission.ts';

/**
 * Admits targets whose destination is in their own namespace: access to a service account is granted in its namespace.
 */
export function admitTrafficTarget(target: SmiTrafficTarget): Admission<SmiTrafficTarget> {
  const { destination } = target.spec;
  const namespace = target.metadata.namespace ?? '';
  if ((destination.namespace || namespace) !== namespace) {
    return reject(
      `spec.destination.namespace: must be "${namespace}", the namespace of the target: access is given where the called service is`,
    );
  }
  if (destination.port !== undefined && portOf(destination) === undefined) {
    return reject(`spec.destination.port: "${destination.port}" is no port number`);
  }
  if (target.spec.rules.length > maxRules)
    return reject(`spec.rules: there are ${target.spec.rules.length}, and at most ${maxRules} are allowed`);
  const rule = target.spec.rules.find(({ kind, matches = [] }) => kind !== 'HTTPRouteGroup' && matches.length > 0);
  if (rule !== undefined)
    return reject(`spec.rules: matches of ${rule.kind} "${rule.name}" have no names to choose by`);
  return allow;
}
