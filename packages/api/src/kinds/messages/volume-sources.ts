// Volume sources that pods and persistent volumes share. Numbers and names as in Kubernetes 1.32.

import { bool, int32, list, message, optionalBool, optionalInt32, optionalString, string } from '../message.ts';

/** A Google Compute Engine disk. */
export const gcePersistentDiskVolumeSource = message('A Google Compute Engine disk.', {
  pdName: string(1, 'Name of the disk.', { required: true }),
  fsType: string(2, 'File system type.'),
  partition: int32(3, 'Partition to mount.'),
  readOnly: bool(4, 'Mount read-only.'),
});

/** An AWS EBS volume. */
export const awsElasticBlockStoreVolumeSource = message('An AWS EBS volume.', {
  volumeID: string(1, 'ID of the volume.', { required: true }),
  fsType: string(2, 'File system type.'),
  partition: int32(3, 'Partition to mount.'),
  readOnly: bool(4, 'Mount read-only.'),
});

/** A path of the node. */
export const hostPathVolumeSource = message('A path of the node.', {
  path: string(1, 'The path.', { required: true }),
  type: optionalString(2, 'What must be there.', {
    default: '',
    enum: ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
  }),
});

/** An NFS share. */
export const nfsVolumeSource = message('An NFS share.', {
  server: string(1, 'Host of the share.', { required: true }),
  path: string(2, 'Exported path.', { required: true }),
  readOnly: bool(3, 'Mount read-only.'),
});

/** A Fibre Channel disk. */
export const fcVolumeSource = message('A Fibre Channel disk.', {
  targetWWNs: list(1, 'string', 'World-wide names of the targets.'),
  lun: optionalInt32(2, 'LUN number.'),
  fsType: string(3, 'File system type.'),
  readOnly: bool(4, 'Mount read-only.'),
  wwids: list(5, 'string', 'World-wide identifiers, instead of names and LUN.'),
});

/** A Flocker dataset. */
export const flockerVolumeSource = message('A Flocker dataset.', {
  datasetName: string(1, 'Name of the dataset.'),
  datasetUUID: string(2, 'UUID of the dataset.'),
});

/** A vSphere disk. */
export const vsphereVirtualDiskVolumeSource = message('A vSphere disk.', {
  volumePath: string(1, 'Path of the disk.', { required: true }),
  fsType: string(2, 'File system type.'),
  storagePolicyName: string(3, 'Name of the storage policy.'),
  storagePolicyID: string(4, 'ID of the storage policy.'),
});

/** A Quobyte volume. */
export const quobyteVolumeSource = message('A Quobyte volume.', {
  registry: string(1, 'Addresses of the registries.', { required: true }),
  volume: string(2, 'Name of the volume.', { required: true }),
  readOnly: bool(3, 'Mount read-only.'),
  user: string(4, 'User to map to.'),
  group: string(5, 'Group to map to.'),
  tenant: string(6, 'Tenant that owns the volume.'),
});

/** An Azure data disk. */
export const azureDiskVolumeSource = message('An Azure data disk.', {
  diskName: string(1, 'Name of the disk.', { required: true }),
  diskURI: string(2, 'URI of the disk.', { required: true }),
  cachingMode: optionalString(3, 'Caching on the host.', {
    default: 'ReadWrite',
    enum: ['None', 'ReadOnly', 'ReadWrite'],
  }),
  fsType: optionalString(4, 'File system type.', { default: 'ext4' }),
  readOnly: optionalBool(5, 'Mount read-only.', { default: false }),
  kind: optionalString(6, 'Kind of disk.', { default: 'Shared', enum: ['Dedicated', 'Managed', 'Shared'] }),
});

/** A Photon controller disk. */
export const photonPersistentDiskVolumeSource = message('A Photon controller disk.', {
  pdID: string(1, 'ID of the disk.', { required: true }),
  fsType: string(2, 'File system type.'),
});

/** A Portworx volume. */
export const portworxVolumeSource = message('A Portworx volume.', {
  volumeID: string(1, 'ID of the volume.', { required: true }),
  fsType: string(2, 'File system type.'),
  readOnly: bool(3, 'Mount read-only.'),
});
