import { fleetClusterName } from '../../kinds/index.ts';
import { hostOf } from '../../model/hosts.ts';
import { type InstanceStep, productOf } from '../instance-step.ts';

/** Decides on the DNS name: in the zone of the product, or in the domain of the cluster. */
export const nameHost: InstanceStep = (draft, { registry }, context) => {
  const { clusterId = '' } = draft.status;
  const cluster = registry.clusters.get(fleetClusterName(draft.spec.product, clusterId));
  const clusterDns = cluster?.spec.clusterDns ?? cluster?.status.clusterDns ?? '';
  const { dns } = productOf(context).configuration;
  if (dns.type === 'none' && clusterDns === '')
    throw new Error(`the domain of cluster ${clusterId} is not known, and the product has no DNS zone`);
  draft.notes.host = hostOf({ id: draft.id, name: draft.spec.name ?? draft.id, clusterDns, dns });
  return 'continue';
};
