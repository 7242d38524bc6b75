import type { KindDeclaration, KubeObject } from '@chandlery/api';
import { httpRouteGroupKind, type SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { type SmiTrafficSplit, trafficSplitKind, trafficSplits } from '../kinds/smi/traffic-split.ts';
import { type SmiTrafficTarget, trafficTargetKind } from '../kinds/smi/traffic-target.ts';
import { type Admission, allow, inStorageVersion, inVersionOf } from './admission.ts';
import { admitHttpRouteGroup } from './admit-http-route-group.ts';
import { admitTrafficSplit } from './admit-traffic-split.ts';
import { admitTrafficTarget } from './admit-traffic-target.ts';

/** A write that is to be admitted. The object has passed the schema of its version. */
export interface AdmissionRequest {
  readonly object: KubeObject;
  /** All objects of `needsOthers` in the namespace, in that version. Default none. */
  readonly others?: readonly KubeObject[];
}

/** What a kind asks before an object is created or changed. */
export interface MeshAdmissionRule {
  readonly group: string;
  readonly plural: string;
  /** The collection of which it wants to see the objects of the namespace. Undefined: it looks at the object alone. */
  readonly needsOthers?: { readonly group: string; readonly version: string; readonly plural: string };
  /** Takes the object in any version; what is to be written instead is in the same. */
  admit(request: AdmissionRequest): Admission;
}

/** To be asked on create and update, in every logical cluster. Objects that are being deleted are let through. */
export const meshAdmissionRules: readonly MeshAdmissionRule[] = [
  ruleOf(trafficSplitKind, {
    needsOthers: trafficSplits.ref,
    admit: (object, others) =>
      admitTrafficSplit(object as SmiTrafficSplit, { others: others as readonly SmiTrafficSplit[] }),
  }),
  ruleOf(trafficTargetKind, { admit: object => admitTrafficTarget(object as SmiTrafficTarget) }),
  ruleOf(httpRouteGroupKind, { admit: object => admitHttpRouteGroup(object as SmiHttpRouteGroup) }),
];

function ruleOf(
  kind: KindDeclaration,
  rule: Pick<MeshAdmissionRule, 'needsOthers'> & {
    readonly admit: (stored: KubeObject, others: readonly KubeObject[]) => Admission;
  },
): MeshAdmissionRule {
  const { group, plural } = kind;
  return {
    group,
    plural,
    ...(rule.needsOthers === undefined ? {} : { needsOthers: rule.needsOthers }),
    admit: ({ object, others = [] }) => {
      if (object.metadata.deletionTimestamp !== undefined) return allow;
      const admission = rule.admit(inStorageVersion(kind, object), others);
      if (admission.type === 'reject' || admission.object === undefined) return admission;
      return { type: 'allow', object: inVersionOf(kind, object, admission.object) };
    },
  };
}
