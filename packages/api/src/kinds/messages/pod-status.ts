// What became of a pod. Numbers and names as in Kubernetes 1.32.

import {
  bool,
  int32,
  list,
  map,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalInt64,
  optionalString,
  string,
  time,
} from '../message.ts';
import { condition } from './meta.ts';
import { resourceRequirements } from './resources.ts';

/** State of one aspect of a pod. */
export const podCondition = condition('State of one aspect of a pod.', {
  lastProbeTime: 3,
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
});

/** An address of the node. */
export const hostIP = message('An address of the node.', {
  ip: string(1, 'The address.'),
});

/** An address of the pod. */
export const podIP = message('An address of the pod.', {
  ip: string(1, 'The address.'),
});

/** The container has not started. */
export const containerStateWaiting = message('The container has not started.', {
  reason: string(1, 'One word for why.'),
  message: string(2, 'Why, for people.'),
});

/** The container runs. */
export const containerStateRunning = message('The container runs.', {
  startedAt: time(1, 'Since when.'),
});

/** The container has ended. */
export const containerStateTerminated = message('The container has ended.', {
  exitCode: optionalInt32(1, 'Exit code.'),
  signal: int32(2, 'Signal that ended it.'),
  reason: string(3, 'One word for why.'),
  message: string(4, 'Its last words.'),
  startedAt: time(5, 'When it started.'),
  finishedAt: time(6, 'When it ended.'),
  containerID: string(7, 'ID of the container.'),
});

/** State of a container; waiting by default. */
export const containerState = message('State of a container; waiting by default.', {
  waiting: one(1, containerStateWaiting, 'It has not started.'),
  running: one(2, containerStateRunning, 'It runs.'),
  terminated: one(3, containerStateTerminated, 'It has ended.'),
});

/** A mounted volume. */
export const volumeMountStatus = message('A mounted volume.', {
  name: string(1, 'Name of the volume.'),
  mountPath: string(2, 'Path inside the container.'),
  readOnly: bool(3, 'Whether it is read-only.'),
  recursiveReadOnly: optionalString(4, 'Whether mounts below are read-only as well.'),
});

/** User of the first process. */
export const linuxContainerUser = message('User of the first process.', {
  uid: optionalInt64(1, 'User ID.'),
  gid: optionalInt64(2, 'Group ID.'),
  supplementalGroups: list(3, 'int64', 'Further groups.'),
});

/** User of the first process. */
export const containerUser = message('User of the first process.', {
  linux: one(1, linuxContainerUser, 'On Linux.'),
});

/** Health of one device. */
export const resourceHealth = message('Health of one device.', {
  resourceID: string(1, 'ID of the device.'),
  health: string(2, 'Healthy, Unhealthy or Unknown.'),
});

/** Health of the devices of one resource. */
export const resourceStatus = message('Health of the devices of one resource.', {
  name: string(1, 'The resource.'),
  resources: list(2, resourceHealth, 'Its devices.'),
});

/** What became of a container. */
export const containerStatus = message('What became of a container.', {
  name: string(1, 'Name of the container.'),
  state: one(2, containerState, 'State now.'),
  lastState: one(3, containerState, 'State before the last restart.'),
  ready: optionalBool(4, 'Whether it passes its readiness probe.'),
  restartCount: optionalInt32(5, 'How often it was restarted.'),
  image: string(6, 'Image that runs.'),
  imageID: string(7, 'Digest of the image.'),
  containerID: string(8, 'ID of the container.'),
  started: optionalBool(9, 'Whether it passed its startup probe.'),
  allocatedResources: map(10, 'quantity', 'Resources that the node set aside.'),
  resources: one(11, resourceRequirements, 'Resources in force.'),
  volumeMounts: list(12, volumeMountStatus, 'Volumes that are mounted.', {
    keys: ['mountPath'],
    mergeKey: 'mountPath',
  }),
  user: one(13, containerUser, 'User of the first process.'),
  allocatedResourcesStatus: list(14, resourceStatus, 'Health of the devices.', { keys: ['name'], mergeKey: 'name' }),
});

/** A claim that was made for the pod. */
export const podResourceClaimStatus = message('A claim that was made for the pod.', {
  name: string(1, "Name of the entry in the pod's resourceClaims."),
  resourceClaimName: optionalString(2, 'Name of the claim.'),
});

/** What became of a pod. */
export const podStatus = message('What became of a pod.', {
  phase: string(1, 'Pending, Running, Succeeded, Failed or Unknown.'),
  conditions: list(2, podCondition, 'States of the pod.', { keys: ['type'], mergeKey: 'type' }),
  message: string(3, 'Why it is in this state.'),
  reason: string(4, 'One word for why.'),
  nominatedNodeName: string(11, 'Node where others were pushed out for this pod.'),
  hostIP: string(5, 'Address of the node.'),
  hostIPs: list(16, hostIP, 'Addresses of the node.', { mergeKey: 'ip' }),
  podIP: string(6, 'Address of the pod.'),
  podIPs: list(12, podIP, 'Addresses of the pod.', { keys: ['ip'], mergeKey: 'ip' }),
  startTime: time(7, 'When the node took the pod.'),
  initContainerStatuses: list(10, containerStatus, 'What became of the init containers.'),
  containerStatuses: list(8, containerStatus, 'What became of the containers.'),
  qosClass: string(9, 'Guaranteed, Burstable or BestEffort.'),
  ephemeralContainerStatuses: list(13, containerStatus, 'What became of the ephemeral containers.'),
  resize: string(14, 'State of a resizing.'),
  resourceClaimStatuses: list(15, podResourceClaimStatus, 'Claims that were made.', {
    keys: ['name'],
    mergeKey: 'name',
    retainsKeys: true,
  }),
});
