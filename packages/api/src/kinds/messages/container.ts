// Containers of a pod. Numbers and names as in Kubernetes 1.32.

import {
  bool,
  inline,
  int32,
  list,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalString,
  string,
} from '../message.ts';
import { lifecycle, probe } from './probes.ts';
import {
  configMapKeySelector,
  localObjectReference,
  objectFieldSelector,
  resourceFieldSelector,
  secretKeySelector,
} from './references.ts';
import { resourceRequirements } from './resources.ts';
import { securityContext } from './security.ts';

/** A port that the container listens on. */
export const containerPort = message('A port that the container listens on.', {
  name: string(1, 'Name, unique in the pod, that services may refer to.'),
  hostPort: int32(2, 'Port of the node that leads here.', { minimum: 0, maximum: 65535 }),
  containerPort: optionalInt32(3, 'Port inside the pod.', { required: true, minimum: 1, maximum: 65535 }),
  protocol: string(4, 'Protocol.', { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] }),
  hostIP: string(5, 'Address of the node to bind to.'),
});

/** All keys of a config map. */
export const configMapEnvSource = message('All keys of a config map.', {
  localObjectReference: inline(1, localObjectReference),
  optional: optionalBool(2, 'Whether the config map may be missing.'),
});

/** All keys of a secret. */
export const secretEnvSource = message('All keys of a secret.', {
  localObjectReference: inline(1, localObjectReference),
  optional: optionalBool(2, 'Whether the secret may be missing.'),
});

/** Environment variables from all keys of one object. */
export const envFromSource = message('Environment variables from all keys of one object.', {
  prefix: string(1, 'Put before each name.'),
  configMapRef: one(2, configMapEnvSource, 'The config map to take.'),
  secretRef: one(3, secretEnvSource, 'The secret to take.'),
});

/** Where the value of a variable comes from; exactly one is used. */
export const envVarSource = message('Where the value of a variable comes from; exactly one is used.', {
  fieldRef: one(1, objectFieldSelector, 'A field of the pod.'),
  resourceFieldRef: one(2, resourceFieldSelector, 'A request or limit of a container.'),
  configMapKeyRef: one(3, configMapKeySelector, 'A key of a config map.'),
  secretKeyRef: one(4, secretKeySelector, 'A key of a secret.'),
});

/** An environment variable. */
export const envVar = message('An environment variable.', {
  name: string(1, 'Name of the variable.', { required: true }),
  value: string(2, 'Its value; $(NAME) refers to other variables.'),
  valueFrom: one(3, envVarSource, 'Where the value comes from instead.'),
});

/** What happens when a resource of the container is resized. */
export const containerResizePolicy = message('What happens when a resource of the container is resized.', {
  resourceName: string(1, 'The resource.', { required: true }),
  restartPolicy: string(2, 'Whether the container restarts.', {
    required: true,
    enum: ['NotRequired', 'RestartContainer'],
  }),
});

/** A volume's place inside a container. */
export const volumeMount = message("A volume's place inside a container.", {
  name: string(1, "Name of the pod's volume.", { required: true }),
  readOnly: bool(2, 'Mount read-only.'),
  recursiveReadOnly: optionalString(7, 'Whether read-only holds for mounts below as well.', {
    enum: ['Disabled', 'Enabled', 'IfPossible'],
  }),
  mountPath: string(3, 'Path inside the container.', { required: true }),
  subPath: string(4, 'Path inside the volume to mount.'),
  mountPropagation: optionalString(5, 'How mounts travel between node and container.', {
    enum: ['Bidirectional', 'HostToContainer', 'None'],
  }),
  subPathExpr: string(6, 'As subPath, with $(NAME) replaced from the environment.'),
});

/** A raw block device inside a container. */
export const volumeDevice = message('A raw block device inside a container.', {
  name: string(1, "Name of the pod's volume.", { required: true }),
  devicePath: string(2, 'Path inside the container.', { required: true }),
});

const containerFields = {
  name: string(1, 'Name, unique in the pod.', { required: true }),
  image: string(2, 'Image to run.'),
  command: list(3, 'string', "Replaces the image's entry point."),
  args: list(4, 'string', "Replaces the image's arguments."),
  workingDir: string(5, 'Working directory.'),
  ports: list(6, containerPort, 'Ports that the container listens on.', {
    keys: ['containerPort', 'protocol'],
    mergeKey: 'containerPort',
  }),
  envFrom: list(19, envFromSource, 'Objects whose keys become environment variables.'),
  env: list(7, envVar, 'Environment variables; they win over envFrom.', { keys: ['name'], mergeKey: 'name' }),
  resources: one(8, resourceRequirements, 'Compute resources.', { default: {} }),
  resizePolicy: list(23, containerResizePolicy, 'What happens when resources are resized.'),
  restartPolicy: optionalString(24, 'Always makes an init container run beside the others.', { enum: ['Always'] }),
  volumeMounts: list(9, volumeMount, 'Volumes to mount.', { keys: ['mountPath'], mergeKey: 'mountPath' }),
  volumeDevices: list(21, volumeDevice, 'Block devices to attach.', { keys: ['devicePath'], mergeKey: 'devicePath' }),
  livenessProbe: one(10, probe, 'The container is restarted when this fails.'),
  readinessProbe: one(11, probe, 'The pod gets no traffic while this fails.'),
  startupProbe: one(22, probe, 'Other probes wait until this succeeds.'),
  lifecycle: one(12, lifecycle, "Hooks into the container's life."),
  terminationMessagePath: string(13, 'File that holds the last words of the container.', {
    default: '/dev/termination-log',
  }),
  terminationMessagePolicy: string(20, 'Where the last words are taken from.', {
    default: 'File',
    enum: ['FallbackToLogsOnError', 'File'],
  }),
  imagePullPolicy: string(14, 'When the image is pulled.', { enum: ['Always', 'IfNotPresent', 'Never'] }),
  securityContext: one(15, securityContext, 'Security settings of the container.'),
  stdin: bool(16, 'Keep standard input open.'),
  stdinOnce: bool(17, 'Close standard input after the first client.'),
  tty: bool(18, 'Give the container a terminal.'),
};

/** A container of a pod. */
export const container = message('A container of a pod.', containerFields);

/** What an ephemeral container shares with a usual one. */
export const ephemeralContainerCommon = message('What an ephemeral container shares with a usual one.', {
  ...containerFields,
  ports: list(6, containerPort, 'Not allowed here.', {
    keys: ['containerPort', 'protocol'],
    mergeKey: 'containerPort',
  }),
  resources: one(8, resourceRequirements, 'Not allowed here.', { default: {} }),
  restartPolicy: optionalString(24, 'Not allowed here.'),
  livenessProbe: one(10, probe, 'Not allowed here.'),
  readinessProbe: one(11, probe, 'Not allowed here.'),
  startupProbe: one(22, probe, 'Not allowed here.'),
  lifecycle: one(12, lifecycle, 'Not allowed here.'),
});

/** A container that joins a running pod, for debugging. */
export const ephemeralContainer = message('A container that joins a running pod, for debugging.', {
  ephemeralContainerCommon: inline(1, ephemeralContainerCommon),
  targetContainerName: string(2, 'Container whose processes it can see.'),
});
