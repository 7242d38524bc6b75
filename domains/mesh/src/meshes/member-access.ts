import { type AccessRequest, accessRequests, shorten, systemNamespace } from '@chandlery/clusters/kinds';

/** By which the mesh knows its own requests. */
export const memberAccessLabels = { 'app.kubernetes.io/managed-by': 'chandlery-mesh' };

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

/** What the mesh asks for on a cluster that the landscape does not serve itself: to read, and no more than it needs. */
export const memberAccessRequest = (cluster: string, isTopology: boolean): AccessRequest =>
  accessRequests.object(
    { name: memberAccessName(cluster), namespace: systemNamespace, labels: memberAccessLabels },
    {
      clusterRef: { name: cluster, namespace: systemNamespace },
      token: { permissions: [{ rules: isTopology ? [...memberRules, ...policyRules] : memberRules }] },
    },
  );
