// What a pod is to be. Numbers and names as in Kubernetes 1.32.

import {
  bool,
  list,
  map,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalInt64,
  optionalString,
  string,
} from '../message.ts';
import { container, ephemeralContainer } from './container.ts';
import { objectMeta } from './meta.ts';
import { volume } from './pod-volumes.ts';
import { localObjectReference } from './references.ts';
import { resourceRequirements } from './resources.ts';
import { affinity, toleration, topologySpreadConstraint } from './scheduling.ts';
import { podSecurityContext } from './security.ts';

/** A line of the pod's hosts file. */
export const hostAlias = message("A line of the pod's hosts file.", {
  ip: string(1, 'The address.', { required: true }),
  hostnames: list(2, 'string', 'Its names.'),
});

/** A resolver option. */
export const podDNSConfigOption = message('A resolver option.', {
  name: string(1, 'Name of the option.'),
  value: optionalString(2, 'Its value.'),
});

/** Resolver settings beyond the policy. */
export const podDNSConfig = message('Resolver settings beyond the policy.', {
  nameservers: list(1, 'string', 'Addresses of name servers.'),
  searches: list(2, 'string', 'Search domains.'),
  options: list(3, podDNSConfigOption, 'Resolver options.'),
});

/** A condition that readiness waits for. */
export const podReadinessGate = message('A condition that readiness waits for.', {
  conditionType: string(1, 'Type of the condition.', { required: true }),
});

/** Operating system of the containers. */
export const podOS = message('Operating system of the containers.', {
  name: string(1, 'linux or windows.', { required: true, enum: ['linux', 'windows'] }),
});

/** Something that scheduling waits for. */
export const podSchedulingGate = message('Something that scheduling waits for.', {
  name: string(1, 'Name of the gate.', { required: true }),
});

/** A claim on devices. */
export const podResourceClaim = message('A claim on devices.', {
  name: string(1, 'Name, unique in the pod.', { required: true }),
  resourceClaimName: optionalString(3, 'An existing claim.'),
  resourceClaimTemplateName: optionalString(4, 'Template of a claim to be made.'),
});

/** What a pod is to be. */
export const podSpec = message('What a pod is to be.', {
  volumes: list(1, volume, 'Volumes that containers can mount.', {
    keys: ['name'],
    mergeKey: 'name',
    retainsKeys: true,
  }),
  initContainers: list(20, container, 'Containers that run one after the other before the rest.', {
    keys: ['name'],
    mergeKey: 'name',
  }),
  containers: list(2, container, 'The containers.', { required: true, keys: ['name'], minItems: 1, mergeKey: 'name' }),
  ephemeralContainers: list(34, ephemeralContainer, 'Containers that joined for debugging.', {
    keys: ['name'],
    mergeKey: 'name',
  }),
  restartPolicy: string(3, 'When containers are restarted.', {
    default: 'Always',
    enum: ['Always', 'Never', 'OnFailure'],
  }),
  terminationGracePeriodSeconds: optionalInt64(4, 'Time for a clean end.', { default: 30, minimum: 0 }),
  activeDeadlineSeconds: optionalInt64(5, 'Longest life time of the pod.', { minimum: 1 }),
  dnsPolicy: string(6, 'Where names are resolved.', {
    default: 'ClusterFirst',
    enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
  }),
  nodeSelector: map(7, 'string', 'Labels that the node must have.', { atomic: true }),
  serviceAccountName: string(8, 'Service account that the pod acts as.'),
  serviceAccount: string(9, 'Old name of serviceAccountName.'),
  automountServiceAccountToken: optionalBool(21, "Whether the service account's token is mounted."),
  nodeName: string(10, 'Node that the pod is bound to.'),
  hostNetwork: bool(11, "Use the node's network."),
  hostPID: bool(12, "Use the node's process IDs."),
  hostIPC: bool(13, "Use the node's IPC."),
  shareProcessNamespace: optionalBool(27, "Let containers see each other's processes."),
  securityContext: one(14, podSecurityContext, 'Security settings of all containers.', { default: {} }),
  imagePullSecrets: list(15, localObjectReference, 'Secrets for pulling images.', { keys: ['name'], mergeKey: 'name' }),
  hostname: string(16, 'Host name of the pod.'),
  subdomain: string(17, 'Puts the pod at hostname.subdomain.namespace.svc.'),
  affinity: one(18, affinity, 'Rules about where the pod runs.'),
  schedulerName: string(19, 'Scheduler that places the pod.', { default: 'default-scheduler' }),
  tolerations: list(22, toleration, 'Taints that are tolerated.'),
  hostAliases: list(23, hostAlias, 'Lines of the hosts file.', { keys: ['ip'], mergeKey: 'ip' }),
  priorityClassName: string(24, 'Class that gives the priority.'),
  priority: optionalInt32(25, 'The priority.'),
  dnsConfig: one(26, podDNSConfig, 'Resolver settings beyond the policy.'),
  readinessGates: list(28, podReadinessGate, 'Conditions that readiness waits for.'),
  runtimeClassName: optionalString(29, 'Runtime that runs the pod.'),
  enableServiceLinks: optionalBool(30, 'Whether services become environment variables.'),
  preemptionPolicy: optionalString(31, 'Whether the pod may push others out.', {
    enum: ['Never', 'PreemptLowerPriority'],
  }),
  overhead: map(32, 'quantity', 'What the runtime itself needs.'),
  topologySpreadConstraints: list(33, topologySpreadConstraint, 'How the pods spread.', {
    keys: ['topologyKey', 'whenUnsatisfiable'],
    mergeKey: 'topologyKey',
  }),
  setHostnameAsFQDN: optionalBool(35, 'Use the full name as host name.'),
  os: one(36, podOS, 'Operating system of the containers.'),
  hostUsers: optionalBool(37, "Use the node's users."),
  schedulingGates: list(38, podSchedulingGate, 'What scheduling waits for.', { keys: ['name'], mergeKey: 'name' }),
  resourceClaims: list(39, podResourceClaim, 'Claims on devices.', {
    keys: ['name'],
    mergeKey: 'name',
    retainsKeys: true,
  }),
  resources: one(40, resourceRequirements, 'Compute resources of the pod as a whole.'),
});

/** A pod to be made. */
export const podTemplateSpec = message('A pod to be made.', {
  metadata: one(1, objectMeta, 'Labels and annotations of the pod.'),
  spec: one(2, podSpec, 'What the pod is to be.'),
});
