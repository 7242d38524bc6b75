import type { KindDeclaration, KubeObject } from '@chandlery/api';
import { type EndpointSet, endpointSets } from '../kinds/endpoint-set.ts';
import { type MeshRootCertificate, meshRootCertificates } from '../kinds/mesh-root-certificate.ts';
import { httpRouteGroupKind, type SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { type SmiTrafficSplit, trafficSplitKind, trafficSplits } from '../kinds/smi/traffic-split.ts';
import { type SmiTrafficTarget, trafficTargetKind } from '../kinds/smi/traffic-target.ts';
import { type VirtualMachineSet, virtualMachineSets } from '../kinds/virtual-machine-set.ts';
import { type Admission, allow, inStorageVersion, inVersionOf, reject } from './admission.ts';
import { admitHttpRouteGroup } from './admit-http-route-group.ts';
import { type RootChange, rootChangeProblem } from './admit-root-change.ts';
import { admitTrafficSplit } from './admit-traffic-split.ts';
import { admitTrafficTarget } from './admit-traffic-target.ts';
import { checkEndpointSet } from './check-endpoint-set.ts';
import { checkMachineSet, type FieldProblem } from './check-machine-set.ts';

/** A create or update request. The object has passed the schema of its version. */
export interface AdmissionRequest {
  readonly object: KubeObject;
  /** The stored object; undefined for a create request. */
  readonly live?: KubeObject;
  /** All objects of `needsOthers` in the namespace, in that version. Default none. */
  readonly others?: readonly KubeObject[];
}

/** A delete request. */
export interface DeleteAdmissionRequest {
  readonly live: KubeObject;
  /** As of {@link AdmissionRequest}. */
  readonly others?: readonly KubeObject[];
}

/** The admission rule of one kind, in every logical cluster that serves it. */
export interface MeshAdmissionRule {
  readonly group: string;
  readonly plural: string;
  /** The collection whose objects in the namespace the rule reads. Default: it reads the object only. */
  readonly needsOthers?: { readonly group: string; readonly version: string; readonly plural: string };
  /** Takes the object in any version; a changed object in the result has the same version. Default: allowed. */
  readonly admit?: (request: AdmissionRequest) => Admission;
  /** Default: allowed. */
  readonly admitDelete?: (request: DeleteAdmissionRequest) => Admission;
  /** Returns field errors that the schema cannot express. Default: none. */
  readonly validate?: (object: KubeObject) => readonly FieldProblem[];
}

/** What the schemas and CEL rules of the mesh's kinds (`kinds/`) cannot express. */
export const meshAdmissionRules: readonly MeshAdmissionRule[] = [
  policyRule(trafficSplitKind, {
    needsOthers: trafficSplits.ref,
    admit: (object, others) =>
      admitTrafficSplit(object as SmiTrafficSplit, { others: others as readonly SmiTrafficSplit[] }),
  }),
  policyRule(trafficTargetKind, { admit: object => admitTrafficTarget(object as SmiTrafficTarget) }),
  policyRule(httpRouteGroupKind, { admit: object => admitHttpRouteGroup(object as SmiHttpRouteGroup) }),
  {
    group: meshRootCertificates.group,
    plural: meshRootCertificates.plural,
    needsOthers: meshRootCertificates.ref,
    admit: ({ object, live, others }) =>
      admitRootChange({ ...(live && { before: asRoot(live) }), after: asRoot(object) }, others),
    admitDelete: ({ live, others }) => admitRootChange({ before: asRoot(live) }, others),
  },
  {
    group: virtualMachineSets.group,
    plural: virtualMachineSets.plural,
    validate: object => checkMachineSet((object as VirtualMachineSet).spec),
  },
  {
    group: endpointSets.group,
    plural: endpointSets.plural,
    validate: object => checkEndpointSet((object as EndpointSet).spec),
  },
];

/** Policies are admitted in their storage version; objects that are being deleted are always allowed. */
function policyRule(
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

const asRoot = (object: KubeObject): MeshRootCertificate => object as MeshRootCertificate;

function admitRootChange(change: RootChange, roots: readonly KubeObject[] = []): Admission {
  const problem = rootChangeProblem(roots as readonly MeshRootCertificate[], change);
  return problem === undefined ? allow : reject(problem, 'Conflict');
}
