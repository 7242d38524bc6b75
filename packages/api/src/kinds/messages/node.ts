// Nodes. Numbers and names as in Kubernetes 1.32.

import { bool, int64, list, map, message, one, optionalBool, optionalInt32, string, time } from '../message.ts';
import { condition } from './meta.ts';

/** Keeps pods away unless they tolerate it. */
export const taint = message('Keeps pods away unless they tolerate it.', {
  key: string(1, 'Key of the taint.', { required: true }),
  value: string(2, 'Value of the taint.'),
  effect: string(3, 'What happens to pods.', { required: true, enum: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'] }),
  timeAdded: time(4, 'When it was added.'),
});

/** A config map with kubelet settings. Deprecated. */
export const configMapNodeConfigSource = message('A config map with kubelet settings. Deprecated.', {
  namespace: string(1, 'Its namespace.'),
  name: string(2, 'Its name.'),
  uid: string(3, 'Its UID.'),
  resourceVersion: string(4, 'Its version.'),
  kubeletConfigKey: string(5, 'The key to take.'),
});

/** Where kubelet settings come from. Deprecated. */
export const nodeConfigSource = message('Where kubelet settings come from. Deprecated.', {
  configMap: one(2, configMapNodeConfigSource, 'A config map.'),
});

/** What a node is to be. */
export const nodeSpec = message('What a node is to be.', {
  podCIDR: string(1, 'Address range of its pods.'),
  podCIDRs: list(7, 'string', 'Address ranges of its pods.', { set: true, mergeKey: '' }),
  providerID: string(3, "The cloud provider's ID."),
  unschedulable: bool(4, 'Whether new pods stay away.'),
  taints: list(5, taint, 'Taints of the node.'),
  configSource: one(6, nodeConfigSource, 'Where settings come from. Deprecated.'),
  externalID: string(2, 'Old ID. Deprecated.'),
});

/** State of one aspect of a node. */
export const nodeCondition = condition('State of one aspect of a node.', {
  lastHeartbeatTime: 3,
  lastTransitionTime: 4,
  reason: 5,
  message: 6,
});

/** An address of a node. */
export const nodeAddress = message('An address of a node.', {
  type: string(1, 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.'),
  address: string(2, 'The address.'),
});

/** A port of a daemon. */
export const daemonEndpoint = message('A port of a daemon.', {
  Port: optionalInt32(1, 'Port number.'),
});

/** Ports of the node's daemons. */
export const nodeDaemonEndpoints = message("Ports of the node's daemons.", {
  kubeletEndpoint: one(1, daemonEndpoint, 'Port of the kubelet.'),
});

/** Facts about the machine. */
export const nodeSystemInfo = message('Facts about the machine.', {
  machineID: string(1, 'ID of the machine.'),
  systemUUID: string(2, 'UUID of the hardware.'),
  bootID: string(3, 'ID of this boot.'),
  kernelVersion: string(4, 'Version of the kernel.'),
  osImage: string(5, 'Name of the operating system.'),
  containerRuntimeVersion: string(6, 'Version of the container runtime.'),
  kubeletVersion: string(7, 'Version of the kubelet.'),
  kubeProxyVersion: string(8, 'Version of kube-proxy. Deprecated.'),
  operatingSystem: string(9, 'Operating system.'),
  architecture: string(10, 'Processor architecture.'),
});

/** An image on the node. */
export const containerImage = message('An image on the node.', {
  names: list(1, 'string', 'Its names.'),
  sizeBytes: int64(2, 'Its size.'),
});

/** A volume that is attached. */
export const attachedVolume = message('A volume that is attached.', {
  name: string(1, 'Its name.'),
  devicePath: string(2, 'Its device.'),
});

/** State of the settings. Deprecated. */
export const nodeConfigStatus = message('State of the settings. Deprecated.', {
  assigned: one(1, nodeConfigSource, 'Settings that are wanted.'),
  active: one(2, nodeConfigSource, 'Settings in force.'),
  lastKnownGood: one(3, nodeConfigSource, 'Settings that worked last.'),
  error: string(4, 'What went wrong.'),
});

/** What a runtime can do. */
export const nodeRuntimeHandlerFeatures = message('What a runtime can do.', {
  recursiveReadOnlyMounts: optionalBool(1, 'Read-only mounts, recursively.'),
  userNamespaces: optionalBool(2, 'User namespaces.'),
});

/** A runtime of the node. */
export const nodeRuntimeHandler = message('A runtime of the node.', {
  name: string(1, 'Its name; empty for the default.'),
  features: one(2, nodeRuntimeHandlerFeatures, 'What it can do.'),
});

/** What the node's runtime can do. */
export const nodeFeatures = message("What the node's runtime can do.", {
  supplementalGroupsPolicy: optionalBool(1, 'Choose the policy for further groups.'),
});

/** What became of a node. */
export const nodeStatus = message('What became of a node.', {
  capacity: map(1, 'quantity', 'What the machine has.'),
  allocatable: map(2, 'quantity', 'What pods may use.'),
  phase: string(3, 'Phase. Deprecated.'),
  conditions: list(4, nodeCondition, 'States of the node.', { keys: ['type'], mergeKey: 'type' }),
  addresses: list(5, nodeAddress, 'Addresses of the node.', { keys: ['type'], mergeKey: 'type' }),
  daemonEndpoints: one(6, nodeDaemonEndpoints, "Ports of the node's daemons."),
  nodeInfo: one(7, nodeSystemInfo, 'Facts about the machine.'),
  images: list(8, containerImage, 'Images on the node.'),
  volumesInUse: list(9, 'string', 'Volumes in use.'),
  volumesAttached: list(10, attachedVolume, 'Volumes that are attached.'),
  config: one(11, nodeConfigStatus, 'State of the settings. Deprecated.'),
  runtimeHandlers: list(12, nodeRuntimeHandler, 'Runtimes of the node.'),
  features: one(13, nodeFeatures, 'What the runtime can do.'),
});
