// Volume sources with a secret: pods name one of their own namespace, persistent volumes one of any namespace. Numbers
// and names as in Kubernetes 1.32.

import {
  bool,
  type Field,
  list,
  type Message,
  map,
  message,
  one,
  optionalInt32,
  optionalString,
  string,
} from '../message.ts';

/** An iSCSI disk. */
export const iscsiSource = (secret: Message): Message =>
  message('An iSCSI disk.', {
    targetPortal: string(1, 'Address of the portal.', { required: true }),
    iqn: string(2, 'Qualified name of the target.', { required: true }),
    lun: optionalInt32(3, 'LUN number.'),
    iscsiInterface: string(4, 'Interface name.', { default: 'default' }),
    fsType: string(5, 'File system type.'),
    readOnly: bool(6, 'Mount read-only.'),
    portals: list(7, 'string', 'Further portals.'),
    chapAuthDiscovery: bool(8, 'Whether discovery uses CHAP.'),
    chapAuthSession: bool(11, 'Whether the session uses CHAP.'),
    secretRef: one(10, secret, 'Secret with CHAP credentials.'),
    initiatorName: optionalString(12, 'Initiator to use.'),
  });

/** A GlusterFS volume; persistent volumes also say in which namespace the endpoints are. */
export const glusterfsSource = (more: Readonly<Record<string, Field>> = {}): Message =>
  message('A GlusterFS volume.', {
    endpoints: string(1, 'Name of the endpoints object.', { required: true }),
    path: string(2, 'Path of the volume.', { required: true }),
    readOnly: bool(3, 'Mount read-only.'),
    ...more,
  });

/** A Ceph block device. */
export const rbdSource = (secret: Message): Message =>
  message('A Ceph block device.', {
    monitors: list(1, 'string', 'Addresses of the monitors.', { required: true }),
    image: string(2, 'Image name.', { required: true }),
    fsType: string(3, 'File system type.'),
    pool: string(4, 'Pool name.', { default: 'rbd' }),
    user: string(5, 'User name.', { default: 'admin' }),
    keyring: string(6, 'Path of the key ring.', { default: '/etc/ceph/keyring' }),
    secretRef: one(7, secret, 'Secret that replaces the key ring.'),
    readOnly: bool(8, 'Mount read-only.'),
  });

/** A volume of a FlexVolume driver. */
export const flexSource = (secret: Message): Message =>
  message('A volume of a FlexVolume driver.', {
    driver: string(1, 'Name of the driver.', { required: true }),
    fsType: string(2, 'File system type.'),
    secretRef: one(3, secret, 'Secret for the driver.'),
    readOnly: bool(4, 'Mount read-only.'),
    options: map(5, 'string', 'Options for the driver.'),
  });

/** An OpenStack Cinder volume. */
export const cinderSource = (secret: Message): Message =>
  message('An OpenStack Cinder volume.', {
    volumeID: string(1, 'ID of the volume.', { required: true }),
    fsType: string(2, 'File system type.'),
    readOnly: bool(3, 'Mount read-only.'),
    secretRef: one(4, secret, 'Secret with OpenStack parameters.'),
  });

/** A CephFS mount. */
export const cephFSSource = (secret: Message): Message =>
  message('A CephFS mount.', {
    monitors: list(1, 'string', 'Addresses of the monitors.', { required: true }),
    path: string(2, 'Path to mount as root.'),
    user: string(3, 'User name.'),
    secretFile: string(4, 'Path of the key ring.'),
    secretRef: one(5, secret, 'Secret that replaces the key ring.'),
    readOnly: bool(6, 'Mount read-only.'),
  });

/** An Azure file share; persistent volumes also say in which namespace the secret is. */
export const azureFileSource = (more: Readonly<Record<string, Field>> = {}): Message =>
  message('An Azure file share.', {
    secretName: string(1, 'Secret with the account name and key.', { required: true }),
    shareName: string(2, 'Name of the share.', { required: true }),
    readOnly: bool(3, 'Mount read-only.'),
    ...more,
  });

/** A ScaleIO volume. */
export const scaleIOSource = (secret: Message): Message =>
  message('A ScaleIO volume.', {
    gateway: string(1, 'Address of the gateway.', { required: true }),
    system: string(2, 'Name of the system.', { required: true }),
    secretRef: one(3, secret, 'Secret with credentials.', { required: true }),
    sslEnabled: bool(4, 'Whether to use TLS.'),
    protectionDomain: string(5, 'Protection domain.'),
    storagePool: string(6, 'Storage pool.'),
    storageMode: string(7, 'Thick or thin provisioning.', { default: 'ThinProvisioned' }),
    volumeName: string(8, 'Name of the volume.'),
    fsType: string(9, 'File system type.', { default: 'xfs' }),
    readOnly: bool(10, 'Mount read-only.'),
  });

/** A StorageOS volume. */
export const storageOSSource = (secret: Message): Message =>
  message('A StorageOS volume.', {
    volumeName: string(1, 'Name of the volume.'),
    volumeNamespace: string(2, 'Namespace of the volume.'),
    fsType: string(3, 'File system type.'),
    readOnly: bool(4, 'Mount read-only.'),
    secretRef: one(5, secret, 'Secret with credentials.'),
  });
