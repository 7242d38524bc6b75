// Slices of the endpoints of a service. Numbers and names as in Kubernetes 1.32.

import { list, map, message, one, optionalBool, optionalInt32, optionalString, string } from '../message.ts';
import { objectReference } from './references.ts';

/** State of an endpoint. */
export const endpointConditions = message('State of an endpoint.', {
  ready: optionalBool(1, 'Whether it takes traffic.'),
  serving: optionalBool(2, 'Whether it could answer.'),
  terminating: optionalBool(3, 'Whether it is going away.'),
});

/** A zone that should use an endpoint. */
export const forZone = message('A zone that should use an endpoint.', {
  name: string(1, 'Name of the zone.', { required: true }),
});

/** Who should use an endpoint. */
export const endpointHints = message('Who should use an endpoint.', {
  forZones: list(1, forZone, 'The zones.'),
});

/** One endpoint. */
export const endpoint = message('One endpoint.', {
  addresses: list(1, 'string', 'Its addresses; they are one and the same.', { required: true, set: true }),
  conditions: one(2, endpointConditions, 'Its state.', { default: {} }),
  hostname: optionalString(3, 'Its host name.'),
  targetRef: one(4, objectReference, 'Its object, usually a pod.'),
  deprecatedTopology: map(5, 'string', 'Topology from earlier API versions.'),
  nodeName: optionalString(6, 'Its node.'),
  zone: optionalString(7, 'Its zone.'),
  hints: one(8, endpointHints, 'Who should use it.'),
});

/** A port of all endpoints of a slice. */
export const slicePort = message(
  'A port of all endpoints of a slice.',
  {
    name: optionalString(1, "Name of the service's port.", { default: '' }),
    protocol: optionalString(2, 'Protocol.', { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] }),
    port: optionalInt32(3, 'Port number.'),
    appProtocol: optionalString(4, 'Application protocol, as a hint.'),
  },
  { atomic: true },
);
