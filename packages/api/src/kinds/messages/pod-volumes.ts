// Volumes of a pod. Numbers and names as in Kubernetes 1.32.

import { bool, inline, map, message, one, optionalBool, optionalString, string } from '../message.ts';
import {
  configMapVolumeSource,
  downwardAPIVolumeSource,
  emptyDirVolumeSource,
  gitRepoVolumeSource,
  projectedVolumeSource,
  secretVolumeSource,
} from './file-volumes.ts';
import { objectMeta } from './meta.ts';
import { localObjectReference } from './references.ts';
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
import { persistentVolumeClaimSpec } from './storage.ts';
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

/** A claim of the same namespace. */
export const persistentVolumeClaimVolumeSource = message('A claim of the same namespace.', {
  claimName: string(1, 'Name of the claim.', { required: true }),
  readOnly: bool(2, 'Mount read-only.'),
});

/** An ephemeral volume of a CSI driver. */
export const csiVolumeSource = message('An ephemeral volume of a CSI driver.', {
  driver: string(1, 'Name of the driver.', { required: true }),
  readOnly: optionalBool(2, 'Mount read-only.'),
  fsType: optionalString(3, 'File system type.'),
  volumeAttributes: map(4, 'string', 'Properties for the driver.'),
  nodePublishSecretRef: one(5, localObjectReference, 'Secret for the driver.'),
});

/** A claim that is made for the pod. */
export const persistentVolumeClaimTemplate = message('A claim that is made for the pod.', {
  metadata: one(1, objectMeta, 'Labels and annotations of the claim.'),
  spec: one(2, persistentVolumeClaimSpec, 'The claim.', { required: true }),
});

/** A volume that is made and removed with the pod. */
export const ephemeralVolumeSource = message('A volume that is made and removed with the pod.', {
  volumeClaimTemplate: one(1, persistentVolumeClaimTemplate, 'The claim to make.'),
});

/** The content of an OCI image or artifact. */
export const imageVolumeSource = message('The content of an OCI image or artifact.', {
  reference: string(1, 'The image.'),
  pullPolicy: string(2, 'When it is pulled.', { enum: ['Always', 'IfNotPresent', 'Never'] }),
});

/** The kinds of volumes; exactly one is used. */
export const volumeSource = message('The kinds of volumes; exactly one is used.', {
  hostPath: one(1, hostPathVolumeSource, 'A path of the node.'),
  emptyDir: one(2, emptyDirVolumeSource, 'An empty directory.'),
  gcePersistentDisk: one(3, gcePersistentDiskVolumeSource, 'A Google Compute Engine disk. Deprecated.'),
  awsElasticBlockStore: one(4, awsElasticBlockStoreVolumeSource, 'An AWS EBS volume. Deprecated.'),
  gitRepo: one(5, gitRepoVolumeSource, 'A clone of a git repository. Deprecated.'),
  secret: one(6, secretVolumeSource, 'A secret as files.'),
  nfs: one(7, nfsVolumeSource, 'An NFS share.'),
  iscsi: one(8, iscsiSource(localObjectReference), 'An iSCSI disk.'),
  glusterfs: one(9, glusterfsSource(), 'A GlusterFS volume. Deprecated.'),
  persistentVolumeClaim: one(10, persistentVolumeClaimVolumeSource, 'A persistent volume claim.'),
  rbd: one(11, rbdSource(localObjectReference), 'A Ceph block device. Deprecated.'),
  flexVolume: one(12, flexSource(localObjectReference), 'A FlexVolume. Deprecated.'),
  cinder: one(13, cinderSource(localObjectReference), 'An OpenStack Cinder volume. Deprecated.'),
  cephfs: one(14, cephFSSource(localObjectReference), 'A CephFS mount. Deprecated.'),
  flocker: one(15, flockerVolumeSource, 'A Flocker dataset. Deprecated.'),
  downwardAPI: one(16, downwardAPIVolumeSource, 'Files with facts about the pod.'),
  fc: one(17, fcVolumeSource, 'A Fibre Channel disk.'),
  azureFile: one(18, azureFileSource(), 'An Azure file share. Deprecated.'),
  configMap: one(19, configMapVolumeSource, 'A config map as files.'),
  vsphereVolume: one(20, vsphereVirtualDiskVolumeSource, 'A vSphere disk. Deprecated.'),
  quobyte: one(21, quobyteVolumeSource, 'A Quobyte volume. Deprecated.'),
  azureDisk: one(22, azureDiskVolumeSource, 'An Azure data disk. Deprecated.'),
  photonPersistentDisk: one(23, photonPersistentDiskVolumeSource, 'A Photon controller disk. Deprecated.'),
  projected: one(26, projectedVolumeSource, 'Several sources in one directory.'),
  portworxVolume: one(24, portworxVolumeSource, 'A Portworx volume. Deprecated.'),
  scaleIO: one(25, scaleIOSource(localObjectReference), 'A ScaleIO volume. Deprecated.'),
  storageos: one(27, storageOSSource(localObjectReference), 'A StorageOS volume. Deprecated.'),
  csi: one(28, csiVolumeSource, 'An ephemeral CSI volume.'),
  ephemeral: one(29, ephemeralVolumeSource, 'A volume that is made and removed with the pod.'),
  image: one(30, imageVolumeSource, 'The content of an image.'),
});

/** A volume that the pod's containers can mount. */
export const volume = message("A volume that the pod's containers can mount.", {
  name: string(1, 'Name, unique in the pod.', { required: true }),
  volumeSource: inline(2, volumeSource),
});
