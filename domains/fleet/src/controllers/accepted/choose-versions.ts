import { fleetClusterName } from '../../kinds/index.ts';
import { clientIdOf } from '../../model/names.ts';
import { newestVersions } from '../../model/versions.ts';
import type { ConfiguredProduct } from '../../registry/fleet-registry.ts';
import type { InstanceDraft } from '../instance-draft.ts';
import type { InstanceStep } from '../instance-step.ts';

/** Gives an instance the newest ready operator version of its cluster and that one's newest product version. */
export const chooseVersions: InstanceStep = (draft, { registry }, { product }) => {
  if (draft.status.desired !== undefined && draft.status.state !== 'accepted') return 'continue';
  const { clusterId = '' } = draft.status;
  const cluster = registry.clusters.get(fleetClusterName(draft.spec.product, clusterId));
  const desired = newestVersions(cluster?.status.operatorVersions);
  // A report of the cluster adds it again.
  if (desired === undefined) return 'stop';
  draft.apply({ type: 'versions-chosen', desired, ssoClientId: futureClientId(draft, product) });
  return 'continue';
};

/** Preparing makes the client; its id is written with the change of state, which saves a commit. */
const futureClientId = ({ id }: InstanceDraft, product: ConfiguredProduct | undefined): string | undefined =>
  product === undefined || product.configuration.sso.type === 'none'
    ? undefined
    : clientIdOf(product.row.spec.kind, id);
