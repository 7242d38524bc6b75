// Who a pod runs as and what it may do. Numbers and names as in Kubernetes 1.32.

import { list, message, one, optionalBool, optionalInt64, optionalString, string } from '../message.ts';

/** SELinux labels. */
export const seLinuxOptions = message('SELinux labels.', {
  user: string(1, 'User label.'),
  role: string(2, 'Role label.'),
  type: string(3, 'Type label.'),
  level: string(4, 'Level label.'),
});

/** Settings for Windows containers. */
export const windowsSecurityContextOptions = message('Settings for Windows containers.', {
  gmsaCredentialSpecName: optionalString(1, "Name of the group-managed service account's credential spec."),
  gmsaCredentialSpec: optionalString(2, 'The credential spec itself.'),
  runAsUserName: optionalString(3, 'Windows user that runs the process.'),
  hostProcess: optionalBool(4, 'Whether the container is a host process.'),
});

/** Which system calls are allowed. */
export const seccompProfile = message('Which system calls are allowed.', {
  type: string(1, 'Where the profile comes from.', {
    required: true,
    enum: ['Localhost', 'RuntimeDefault', 'Unconfined'],
  }),
  localhostProfile: optionalString(2, 'File on the node; with type Localhost only.'),
});

/** Which AppArmor profile confines the process. */
export const appArmorProfile = message('Which AppArmor profile confines the process.', {
  type: string(1, 'Where the profile comes from.', {
    required: true,
    enum: ['Localhost', 'RuntimeDefault', 'Unconfined'],
  }),
  localhostProfile: optionalString(2, 'Profile loaded on the node; with type Localhost only.'),
});

/** POSIX capabilities to give or take. */
export const capabilities = message('POSIX capabilities to give or take.', {
  add: list(1, 'string', 'Capabilities to give.'),
  drop: list(2, 'string', 'Capabilities to take away.'),
});

/** Security settings of one container; they win over the pod's. */
export const securityContext = message("Security settings of one container; they win over the pod's.", {
  capabilities: one(1, capabilities, 'Capabilities to give or take.'),
  privileged: optionalBool(2, 'Whether the container is as powerful as root on the node.'),
  seLinuxOptions: one(3, seLinuxOptions, 'SELinux labels of the container.'),
  windowsOptions: one(10, windowsSecurityContextOptions, 'Settings for Windows.'),
  runAsUser: optionalInt64(4, 'UID of the process.'),
  runAsGroup: optionalInt64(8, 'GID of the process.'),
  runAsNonRoot: optionalBool(5, 'Refuse to start as root.'),
  readOnlyRootFilesystem: optionalBool(6, 'Mount the root file system read-only.'),
  allowPrivilegeEscalation: optionalBool(7, 'Whether a process may gain more rights than its parent.'),
  procMount: optionalString(9, 'How /proc is mounted.', { enum: ['Default', 'Unmasked'] }),
  seccompProfile: one(11, seccompProfile, 'System calls that are allowed.'),
  appArmorProfile: one(12, appArmorProfile, 'AppArmor profile of the container.'),
});

/** A kernel parameter. */
export const sysctl = message('A kernel parameter.', {
  name: string(1, 'Name of the parameter.', { required: true }),
  value: string(2, 'Its value.'),
});

/** Security settings of all containers of the pod. */
export const podSecurityContext = message('Security settings of all containers of the pod.', {
  seLinuxOptions: one(1, seLinuxOptions, 'SELinux labels of all containers.'),
  windowsOptions: one(8, windowsSecurityContextOptions, 'Settings for Windows.'),
  runAsUser: optionalInt64(2, 'UID of all processes.'),
  runAsGroup: optionalInt64(6, 'GID of all processes.'),
  runAsNonRoot: optionalBool(3, 'Refuse to start as root.'),
  supplementalGroups: list(4, 'int64', 'Further groups of the first process.'),
  supplementalGroupsPolicy: optionalString(12, 'How further groups are worked out.', { enum: ['Merge', 'Strict'] }),
  fsGroup: optionalInt64(5, 'Group that owns the volumes.'),
  sysctls: list(7, sysctl, 'Kernel parameters of the pod.'),
  fsGroupChangePolicy: optionalString(9, 'When the ownership of volumes is changed.', {
    enum: ['Always', 'OnRootMismatch'],
  }),
  seccompProfile: one(10, seccompProfile, 'System calls that are allowed.'),
  appArmorProfile: one(11, appArmorProfile, 'AppArmor profile of all containers.'),
  seLinuxChangePolicy: optionalString(13, 'How SELinux labels reach the volumes.', {
    enum: ['MountOption', 'Recursive'],
  }),
});
