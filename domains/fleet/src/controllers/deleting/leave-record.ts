import { formatMicroTime } from '@chandlery/api';
import { fleetNamespace } from '../../kinds/index.ts';
import { defaultSettings } from '../../model/configuration/read-settings.ts';
import { instanceSecretName } from '../../model/instance-secret.ts';
import { transition } from '../../model/transitions.ts';
import { createRow, type RecordRow, removeRow } from '../../registry/fleet-registry.ts';
import type { InstanceDraft } from '../instance-draft.ts';
import type { InstanceStep } from '../instance-step.ts';

/** Replaces the instance and its Secret by a record, in one commit. All units that it held are free with it. */
export const leaveRecord: InstanceStep = (draft, { registry }, { product, now }) => {
  if (transition(draft.status, { type: 'cleaned-up' }).type !== 'remove') return 'stop';
  // The default is for records of products that no longer exist.
  const { deletedRetentionSeconds: seconds } = product?.configuration.settings ?? defaultSettings;
  const removeAt = formatMicroTime(new Date(now.getTime() + seconds * 1000));
  draft.writes.push(
    removeRow('instances', draft.row),
    { type: 'remove-secret', tenant: fleetNamespace, name: instanceSecretName(draft.id) },
    createRow({ table: 'records', id: draft.id, tenant: '', spec: recordOf(draft, registry.now(), removeAt) }),
  );
  draft.markRemoved();
  return 'stop';
};

function recordOf({ id, row, status }: InstanceDraft, deletedAt: string, removeAt: string): RecordRow['spec'] {
  const { holds: _, ...rest } = status;
  const { product, organisation, owner, name = id } = row.spec;
  return { product, organisation, owner, name, deletedAt, removeAt, instance: { id, spec: row.spec, status: rest } };
}
