// Persistent volumes and claims. Numbers and names as in Kubernetes 1.32.

import { inline, list, map, message, one, optionalString, string, time } from '../message.ts';
import { condition, labelSelector } from './meta.ts';
import { persistentVolumeSource } from './persistent-volume-sources.ts';
import { objectReference, typedLocalObjectReference, typedObjectReference } from './references.ts';
import { volumeResourceRequirements } from './resources.ts';
import { nodeSelector } from './scheduling.ts';

/** What storage is asked for. */
export const persistentVolumeClaimSpec = message('What storage is asked for.', {
  accessModes: list(1, 'string', 'How the volume is to be mounted.'),
  selector: one(4, labelSelector, 'Volumes that may be bound.'),
  resources: one(2, volumeResourceRequirements, 'How much storage.', { default: {} }),
  volumeName: string(3, 'The volume that is bound.'),
  storageClassName: optionalString(5, 'Class of storage; empty for none.'),
  volumeMode: optionalString(6, 'File system or raw block.', { default: 'Filesystem', enum: ['Block', 'Filesystem'] }),
  dataSource: one(7, typedLocalObjectReference, 'What the volume is filled from.'),
  dataSourceRef: one(8, typedObjectReference, 'As dataSource, for any kind.'),
  volumeAttributesClassName: optionalString(9, 'Class of changeable attributes.'),
});

/** State of a claim's resizing. */
export const persistentVolumeClaimCondition = condition("State of a claim's resizing.", {
  lastProbeTime: 3,
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
});

/** State of a change of attributes. */
export const modifyVolumeStatus = message('State of a change of attributes.', {
  targetVolumeAttributesClassName: string(1, 'The class that is wanted.'),
  status: string(2, 'How far it is.'),
});

/** What storage was given. */
export const persistentVolumeClaimStatus = message('What storage was given.', {
  phase: string(1, 'Pending, Bound or Lost.'),
  accessModes: list(2, 'string', 'How the volume can be mounted.'),
  capacity: map(3, 'quantity', 'Size of the volume.'),
  conditions: list(4, persistentVolumeClaimCondition, 'Resizing and other states.', {
    keys: ['type'],
    mergeKey: 'type',
  }),
  allocatedResources: map(5, 'quantity', 'What was set aside.'),
  allocatedResourceStatuses: map(7, 'string', 'State of each resizing.'),
  currentVolumeAttributesClassName: optionalString(8, 'Class of attributes in force.'),
  modifyVolumeStatus: one(9, modifyVolumeStatus, 'State of a change of attributes.'),
});

/** Nodes that can reach the volume. */
export const volumeNodeAffinity = message('Nodes that can reach the volume.', {
  required: one(1, nodeSelector, 'The nodes.'),
});

/** A piece of storage. */
export const persistentVolumeSpec = message('A piece of storage.', {
  capacity: map(1, 'quantity', 'Size of the volume.'),
  persistentVolumeSource: inline(2, persistentVolumeSource),
  accessModes: list(3, 'string', 'How the volume can be mounted.'),
  claimRef: one(4, objectReference, 'The claim that is bound.'),
  persistentVolumeReclaimPolicy: string(5, 'What happens when the claim is deleted.', {
    default: 'Retain',
    enum: ['Delete', 'Recycle', 'Retain'],
  }),
  storageClassName: string(6, 'Class of storage.'),
  mountOptions: list(7, 'string', 'Options for mounting.'),
  volumeMode: optionalString(8, 'File system or raw block.', { default: 'Filesystem', enum: ['Block', 'Filesystem'] }),
  nodeAffinity: one(9, volumeNodeAffinity, 'Nodes that can reach the volume.'),
  volumeAttributesClassName: optionalString(10, 'Class of changeable attributes.'),
});

/** State of a volume. */
export const persistentVolumeStatus = message('State of a volume.', {
  phase: string(1, 'Pending, Available, Bound, Released or Failed.'),
  message: string(2, 'Why it is in this phase.'),
  reason: string(3, 'One word for why it failed.'),
  lastPhaseTransitionTime: time(4, 'When the phase changed last.'),
});
