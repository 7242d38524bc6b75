import { hash } from 'node:crypto';
import { type InstanceState } from '../../../kinds/index.ts';
import type { ProductNames } from '../../../model/product-names.ts';
import { instanceName } from '../../../model/search/instance-columns.ts';
import type { InstanceRow } from '../../../registry/fleet-registry.ts';

const visibleStates: ReadonlySet<InstanceState | undefined> = new Set<InstanceState>([
  'provisioning',
  'deprovision',
  'ready',
  'failed',
  'suspending',
  'suspended',
  'resuming',
]);

/** Whether the agent of the instance's cluster receives it. */
export const isVisibleToAgent = ({ status }: InstanceRow): boolean =>
  status.clusterId !== undefined && (status.host ?? '') !== '' && visibleStates.has(status.state);

/** What an agent receives of an instance besides secrets. */
export function presentManaged(row: InstanceRow, { kind, singular }: ProductNames) {
  const { id, spec, status } = row;
  return {
    id,
    kind: `Managed${kind}`,
    metadata: {
      name: instanceName(row),
      namespace: status.namespace ?? '',
      annotations: { 'mas/id': id, 'mas/placementId': status.placementId ?? '' },
      labels: {
        'mas/instanceType': status.instanceType ?? '',
        'mas/sizeId': status.sizeId ?? '',
        'mas/suspended': String(status.state === 'suspending' || status.state === 'suspended'),
        'mas/secretsRevision': secretsRevision(row),
      },
    },
    spec: {
      owners: [spec.owner],
      versions: { [singular]: status.desired?.product ?? '', [`${singular}Operator`]: status.desired?.operator ?? '' },
      deleted: status.state === 'deprovision',
    },
  };
}

/** Changes with the secrets, which most lists leave out, so that an agent knows when to fetch them again. */
function secretsRevision({ status }: InstanceRow): string {
  const { secretName, certificateExpiresAt, certificateNames, ssoClientId } = status;
  if (secretName === undefined) return '';
  const seen = JSON.stringify([secretName, certificateExpiresAt, ssoClientId, certificateNames]);
  return hash('sha256', seen, 'hex').slice(0, 16);
}

const names: ProductNames = { collection: '', kind: '', singular: '', root: '', base: '', errorPrefix: '' };
const hashMask = (1n << 64n) - 1n;

/** A number for what the agent sees of an instance; 0 when it sees nothing. */
export function hashOfView(row: InstanceRow): bigint {
  if (!isVisibleToAgent(row)) return 0n;
  const seen = JSON.stringify([presentManaged(row, names), row.status.host]);
  return hash('sha256', seen, 'buffer').readBigUInt64BE();
}

/** Adds a number to the sum over the instances of a cluster. */
export const addHash = (sum: bigint, hash: bigint): bigint => (sum + hash) & hashMask;
