import { type AccessRequest, accessRequests, shorten, systemNamespace } from '@chandlery/clusters/kinds';

/** Labels of the AccessRequests of the mesh. */
const memberAccessLabels = { 'app.kubernetes.io/managed-by': 'chandlery-mesh' };

/** The same labels as a selector. */
export const memberAccessSelector = Object.entries(memberAccessLabels)
  .map(label => label.join('='))
  .join();

/**
 * Time of the last request for access. A controller that finds no mesh with the cluster deletes only an older
 * AccessRequest.
 */
const askedAnnotation = 'mesh.chandlery.io/asked-at';

/** Name of the AccessRequest of the mesh for a cluster, in the system namespace. */
export const memberAccessName = (cluster: string): string => shorten(`mesh--${cluster}`);

const reading = ['get', 'list', 'watch'];

const memberRules = [
  // Of pods, only the service account is kept.
  { apiGroups: [''], resources: ['services', 'pods'], verbs: reading },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: reading },
];

const policyRules = [
  { apiGroups: ['split.smi-spec.io'], resources: ['trafficsplits'], verbs: reading },
  { apiGroups: ['access.smi-spec.io'], resources: ['traffictargets'], verbs: reading },
  { apiGroups: ['specs.smi-spec.io'], resources: ['httproutegroups', 'tcproutes'], verbs: reading },
];

/** A request for access to a member cluster. */
export interface MemberAccess {
  readonly cluster: string;
  /** Whether the cluster holds the policies of the mesh. */
  readonly isTopology: boolean;
  readonly now: Date;
}

/** The AccessRequest for a cluster that another server serves: read access to the kinds that the mesh uses. */
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
