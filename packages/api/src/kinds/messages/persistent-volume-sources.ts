// The kinds of storage of persistent volumes. Numbers and names as in Kubernetes 1.32.

import { bool, map, message, one, optionalString, string } from '../message.ts';
import { objectReference, secretReference } from './references.ts';
import {
  azureFileSource,
  cephFSSource,
  cinderSource,
  flexSource,
  glusterfsSource,
  iscsiSource,
  rbdSource,
  scaleIOSource,
  storageOSSource,
} from './secret-volume-sources.ts';
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  fcVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  hostPathVolumeSource,
  nfsVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from './volume-sources.ts';

/** A disk or directory of one node. */
export const localVolumeSource = message('A disk or directory of one node.', {
  path: string(1, 'Path on the node.', { required: true }),
  fsType: optionalString(2, 'File system type.'),
});

/** A volume of a CSI driver. */
export const csiPersistentVolumeSource = message('A volume of a CSI driver.', {
  driver: string(1, 'Name of the driver.', { required: true }),
  volumeHandle: string(2, "The driver's ID of the volume.", { required: true }),
  readOnly: bool(3, 'Mount read-only.'),
  fsType: string(4, 'File system type.'),
  volumeAttributes: map(5, 'string', 'Properties for the driver.'),
  controllerPublishSecretRef: one(6, secretReference, 'Secret for attaching.'),
  nodeStageSecretRef: one(7, secretReference, 'Secret for staging on a node.'),
  nodePublishSecretRef: one(8, secretReference, 'Secret for mounting.'),
  controllerExpandSecretRef: one(9, secretReference, 'Secret for growing.'),
  nodeExpandSecretRef: one(10, secretReference, 'Secret for growing on a node.'),
});

/** The kinds of storage; exactly one is used. */
export const persistentVolumeSource = message('The kinds of storage; exactly one is used.', {
  gcePersistentDisk: one(1, gcePersistentDiskVolumeSource, 'A Google Compute Engine disk. Deprecated.'),
  awsElasticBlockStore: one(2, awsElasticBlockStoreVolumeSource, 'An AWS EBS volume. Deprecated.'),
  hostPath: one(3, hostPathVolumeSource, 'A path of the node; for tests.'),
  glusterfs: one(
    4,
    glusterfsSource({ endpointsNamespace: optionalString(4, 'Namespace of the endpoints object.') }),
    'A GlusterFS volume. Deprecated.',
  ),
  nfs: one(5, nfsVolumeSource, 'An NFS share.'),
  rbd: one(6, rbdSource(secretReference), 'A Ceph block device. Deprecated.'),
  iscsi: one(7, iscsiSource(secretReference), 'An iSCSI disk.'),
  cinder: one(8, cinderSource(secretReference), 'An OpenStack Cinder volume. Deprecated.'),
  cephfs: one(9, cephFSSource(secretReference), 'A CephFS mount. Deprecated.'),
  fc: one(10, fcVolumeSource, 'A Fibre Channel disk.'),
  flocker: one(11, flockerVolumeSource, 'A Flocker dataset. Deprecated.'),
  flexVolume: one(12, flexSource(secretReference), 'A FlexVolume. Deprecated.'),
  azureFile: one(
    13,
    azureFileSource({ secretNamespace: optionalString(4, 'Namespace of the secret.') }),
    'An Azure file share. Deprecated.',
  ),
  vsphereVolume: one(14, vsphereVirtualDiskVolumeSource, 'A vSphere disk. Deprecated.'),
  quobyte: one(15, quobyteVolumeSource, 'A Quobyte volume. Deprecated.'),
  azureDisk: one(16, azureDiskVolumeSource, 'An Azure data disk. Deprecated.'),
  photonPersistentDisk: one(17, photonPersistentDiskVolumeSource, 'A Photon controller disk. Deprecated.'),
  portworxVolume: one(18, portworxVolumeSource, 'A Portworx volume. Deprecated.'),
  scaleIO: one(19, scaleIOSource(secretReference), 'A ScaleIO volume. Deprecated.'),
  local: one(20, localVolumeSource, 'A disk or directory of one node.'),
  storageos: one(21, storageOSSource(objectReference), 'A StorageOS volume. Deprecated.'),
  csi: one(22, csiPersistentVolumeSource, 'A volume of a CSI driver.'),
});
