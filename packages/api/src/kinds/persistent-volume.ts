import { builtIn, withStatus } from './built-in.ts';
import { age, text, wide } from './columns/columns.ts';
import { accessModesText, quantityText } from './columns/format.ts';
import { listAt, textAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import {
  persistentVolumeClaimSpec,
  persistentVolumeClaimStatus,
  persistentVolumeSpec,
  persistentVolumeStatus,
} from './messages/storage.ts';

const phaseText = (object: unknown): string =>
  valueAt(object, 'metadata', 'deletionTimestamp') === undefined ? textAt(object, 'status', 'phase') : 'Terminating';

const orUnset = (value: string): string => (value === '' ? '<unset>' : value);

const storageClassText = (object: unknown): string =>
  textAt(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class') ||
  textAt(object, 'spec', 'storageClassName');

const attributesClass = text('VolumeAttributesClass', object =>
  orUnset(textAt(object, 'spec', 'volumeAttributesClassName')),
);

const volumeMode = wide(text('VolumeMode', object => orUnset(textAt(object, 'spec', 'volumeMode'))));

/** A request for storage. */
export const persistentVolumeClaim = builtIn({
  group: '',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'A request for storage.',
  fields: {
    spec: one(2, persistentVolumeClaimSpec, 'What storage is asked for.'),
    status: one(3, persistentVolumeClaimStatus, 'What storage was given.'),
  },
  subresources: withStatus,
  columns: [
    text('Status', phaseText),
    text('Volume', object => textAt(object, 'spec', 'volumeName')),
    text('Capacity', object => quantityText(object, 'status', 'capacity', 'storage')),
    text('Access Modes', object => accessModesText(listAt(object, 'status', 'accessModes'))),
    text('StorageClass', storageClassText),
    attributesClass,
    age,
    volumeMode,
  ],
});

function claimText(volume: unknown): string {
  const claim = valueAt(volume, 'spec', 'claimRef');
  return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
}

/** A piece of storage. */
export const persistentVolume = builtIn({
  group: '',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  scope: 'Cluster',
  keepsGeneration: false,
  description: 'A piece of storage.',
  fields: {
    spec: one(2, persistentVolumeSpec, 'The piece of storage.'),
    status: one(3, persistentVolumeStatus, 'What became of it.'),
  },
  subresources: withStatus,
  columns: [
    text('Capacity', object => quantityText(object, 'spec', 'capacity', 'storage')),
    text('Access Modes', object => accessModesText(listAt(object, 'spec', 'accessModes'))),
    text('Reclaim Policy', object => textAt(object, 'spec', 'persistentVolumeReclaimPolicy')),
    text('Status', phaseText),
    text('Claim', claimText),
    text('StorageClass', storageClassText),
    attributesClass,
    text('Reason', object => textAt(object, 'status', 'reason')),
    age,
    volumeMode,
  ],
});
