// Checks of a container and hooks into its life. Numbers and names as in Kubernetes 1.32.

import {
  inline,
  int32,
  intOrString,
  list,
  message,
  one,
  optionalInt32,
  optionalInt64,
  optionalString,
  string,
} from '../message.ts';

/** A header of an HTTP request. */
export const httpHeader = message('A header of an HTTP request.', {
  name: string(1, 'Name of the header.', { required: true }),
  value: string(2, 'Value of the header.'),
});

/** A command inside the container. */
export const execAction = message('A command inside the container.', {
  command: list(1, 'string', 'The command and its arguments; no shell.'),
});

/** An HTTP GET. */
export const httpGetAction = message('An HTTP GET.', {
  path: string(1, 'Path to ask for.', { default: '/' }),
  port: intOrString(2, 'Port number, or the name of a container port.', { required: true }),
  host: string(3, 'Host to ask; the pod by default.'),
  scheme: string(4, 'HTTP or HTTPS.', { default: 'HTTP', enum: ['HTTP', 'HTTPS'] }),
  httpHeaders: list(5, httpHeader, 'Headers to send.'),
});

/** A TCP connection. */
export const tcpSocketAction = message('A TCP connection.', {
  port: intOrString(1, 'Port number, or the name of a container port.', { required: true }),
  host: string(2, 'Host to connect to; the pod by default.'),
});

/** A gRPC health check. */
export const grpcAction = message('A gRPC health check.', {
  port: optionalInt32(1, 'Port number.', { required: true }),
  service: optionalString(2, 'Service name to ask for.', { default: '' }),
});

/** A pause. */
export const sleepAction = message('A pause.', {
  seconds: optionalInt64(1, 'How long.', { required: true }),
});

/** The ways to check a container; exactly one is used. */
export const probeHandler = message('The ways to check a container; exactly one is used.', {
  exec: one(1, execAction, 'Healthy if the command exits with 0.'),
  httpGet: one(2, httpGetAction, 'Healthy if the answer is 200 to 399.'),
  tcpSocket: one(3, tcpSocketAction, 'Healthy if the port accepts a connection.'),
  grpc: one(4, grpcAction, 'Healthy if the gRPC health service says so.'),
});

/** A repeated check of a container. */
export const probe = message('A repeated check of a container.', {
  probeHandler: inline(1, probeHandler),
  initialDelaySeconds: int32(2, 'Pause before the first check.', { minimum: 0 }),
  timeoutSeconds: int32(3, 'Longest time that one check may take.', { default: 1, minimum: 1 }),
  periodSeconds: int32(4, 'Time between checks.', { default: 10, minimum: 1 }),
  successThreshold: int32(5, 'Successes in a row that make it healthy.', { default: 1, minimum: 1 }),
  failureThreshold: int32(6, 'Failures in a row that make it unhealthy.', { default: 3, minimum: 1 }),
  terminationGracePeriodSeconds: optionalInt64(7, 'Grace period when this probe ends the container.', { minimum: 1 }),
});

/** What to do at one moment in a container's life; exactly one is used. */
export const lifecycleHandler = message("What to do at one moment in a container's life; exactly one is used.", {
  exec: one(1, execAction, 'Run a command.'),
  httpGet: one(2, httpGetAction, 'Send an HTTP request.'),
  tcpSocket: one(3, tcpSocketAction, 'Not supported; kept for compatibility.'),
  sleep: one(4, sleepAction, 'Wait.'),
});

/** Hooks into a container's life. */
export const lifecycle = message("Hooks into a container's life.", {
  postStart: one(1, lifecycleHandler, 'Right after the container was created.'),
  preStop: one(2, lifecycleHandler, 'Right before the container is stopped.'),
});
