import { type AccessRequest, accessRequests, shorten, systemNamespace } from '@chandlery/clusters/kinds';

/** By which the mesh knows its own requests. */
const memberAccessLabels = { 'app.kubernetes.io/managed-by': 'chandlery-mesh' };

/** The same, as clients ask for them. */
export const memberAccessSelector = Object.entries(memberAccessLabels)
  .map(label => label.join('='))
  .join();

/** When somebody last asked: whoever finds nobody in need of a request can tell that this was before. */
const askedAnnotation = 'mesh.chandlery.io/asked-at';

/** The AccessRequest of the mesh for a cluster, in the system namespace. */
export const memberAccessName = (cluster: string): string => shorten(`mesh--${cluster}`);

const reading = ['get', 'list', 'watch'];

const memberRules = [
  // Of pods nothing is kept but their service accounts.
  { apiGroups: [''], resources: ['services', 'pods'], verbs: reading },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: reading },
];

const policyRules = [
  { apiGroups: ['split.smi-spec.io'], resources: ['trafficsplits'], verbs: reading },
  { apiGroups: ['access.smi-spec.io'], resources: ['traffictargets'], verbs: reading },
  { apiGroups: ['specs.smi-spec.io'], resources: ['httproutegroups', 'tcproutes'], verbs: reading },
];

/** Whom access is asked for, and when. */
export interface MemberAccess {
  readonly cluster: string;
  /** Whether the policies of the mesh are there. */
  readonly isTopology: boolean;
  readonly now: Date;
}

/** What the mesh asks for on a cluster that the landscape does not serve itself: to read, and no more than it needs. */
export const memberAccessRequest = ({ cluster, isTopology, now }: MemberAccess): AccessRequest =>
  accessRequests.object(
    {
      name: memberAccessName(cluster),
      namespace: systemNamespace,
      labels: memberAccessLabels,
      annotations: { [askedAnnotation]: now.toISOString() },
    },
    {
      clusterRef: { name: cluster, namespace: systemNamespace },
      token: { permissions: [{ rules: isTopology ? [...memberRules, ...policyRules] : memberRules }] },
    },
  );
