// Services and what is behind them. Numbers and names as in Kubernetes 1.32.

import {
  bool,
  int32,
  intOrString,
  list,
  map,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalString,
  string,
} from '../message.ts';
import { standardCondition } from './meta.ts';
import { objectReference } from './references.ts';

/** A port of a service. */
export const servicePort = message('A port of a service.', {
  name: string(1, 'Name, unique in the service.'),
  protocol: string(2, 'Protocol.', { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] }),
  appProtocol: optionalString(6, 'Application protocol, as a hint.'),
  port: optionalInt32(3, 'Port of the service.', { required: true, minimum: 1, maximum: 65535 }),
  targetPort: intOrString(4, 'Port number or name in the pods; the same port by default.'),
  nodePort: int32(5, 'Port of every node.', { minimum: 0, maximum: 65535 }),
});

/** Stickiness by client address. */
export const clientIPConfig = message('Stickiness by client address.', {
  timeoutSeconds: optionalInt32(1, 'How long it sticks.', { default: 10800, minimum: 1, maximum: 86400 }),
});

/** Settings of stickiness. */
export const sessionAffinityConfig = message('Settings of stickiness.', {
  clientIP: one(1, clientIPConfig, 'By client address.'),
});

/** How a set of pods is reached. */
export const serviceSpec = message('How a set of pods is reached.', {
  ports: list(1, servicePort, 'Ports of the service.', { keys: ['port', 'protocol'], mergeKey: 'port' }),
  selector: map(2, 'string', 'Labels of the pods behind it.', { atomic: true }),
  clusterIP: string(3, 'Address inside the cluster, or None.'),
  clusterIPs: list(18, 'string', 'Addresses inside the cluster.'),
  type: string(4, 'How it is reached.', {
    default: 'ClusterIP',
    enum: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
  }),
  externalIPs: list(5, 'string', 'Further addresses that lead here.'),
  sessionAffinity: string(7, 'Whether clients stick to a pod.', { default: 'None', enum: ['ClientIP', 'None'] }),
  loadBalancerIP: string(8, 'Wanted address of the load balancer. Deprecated.'),
  loadBalancerSourceRanges: list(9, 'string', 'Clients that the load balancer lets in.'),
  externalName: string(10, 'DNS name that the service stands for.'),
  externalTrafficPolicy: string(11, 'Whether traffic from outside stays on its node.', { enum: ['Cluster', 'Local'] }),
  healthCheckNodePort: int32(12, 'Port for health checks of the load balancer.'),
  publishNotReadyAddresses: bool(13, 'Whether pods that are not ready count as well.'),
  sessionAffinityConfig: one(14, sessionAffinityConfig, 'Settings of stickiness.'),
  ipFamilies: list(19, 'string', 'IPv4, IPv6 or both.'),
  ipFamilyPolicy: optionalString(17, 'One family or two.', {
    enum: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
  }),
  allocateLoadBalancerNodePorts: optionalBool(20, 'Whether a load balancer gets node ports.'),
  loadBalancerClass: optionalString(21, 'Load balancer implementation.'),
  internalTrafficPolicy: optionalString(22, 'Whether traffic from inside stays on its node.', {
    enum: ['Cluster', 'Local'],
  }),
  trafficDistribution: optionalString(23, 'Which endpoints are preferred.'),
});

/** A port of a load balancer. */
export const portStatus = message('A port of a load balancer.', {
  port: optionalInt32(1, 'Port number.'),
  protocol: string(2, 'Protocol.'),
  error: optionalString(3, 'What went wrong.'),
});

/** An entry point of a load balancer. */
export const loadBalancerIngress = message('An entry point of a load balancer.', {
  ip: string(1, 'Its address.'),
  hostname: string(2, 'Its name.'),
  ipMode: optionalString(3, 'VIP or Proxy.'),
  ports: list(4, portStatus, 'Its ports.'),
});

/** State of a load balancer. */
export const loadBalancerStatus = message('State of a load balancer.', {
  ingress: list(1, loadBalancerIngress, 'Its entry points.'),
});

/** State of a service. */
export const serviceStatus = message('State of a service.', {
  loadBalancer: one(1, loadBalancerStatus, 'State of the load balancer.'),
  conditions: list(2, standardCondition, 'States of the service.', { keys: ['type'], mergeKey: 'type' }),
});

/** An address behind a service. */
export const endpointAddress = message(
  'An address behind a service.',
  {
    ip: string(1, 'The address.', { required: true }),
    hostname: string(3, 'Its host name.'),
    nodeName: optionalString(4, 'Node of the address.'),
    targetRef: one(2, objectReference, 'Object of the address, usually a pod.'),
  },
  { atomic: true },
);

/** A port behind a service. */
export const endpointPort = message(
  'A port behind a service.',
  {
    name: string(1, "Name of the service's port."),
    port: optionalInt32(2, 'Port number.', { required: true }),
    protocol: string(3, 'Protocol.', { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] }),
    appProtocol: optionalString(4, 'Application protocol, as a hint.'),
  },
  { atomic: true },
);

/** Addresses that share ports. */
export const endpointSubset = message('Addresses that share ports.', {
  addresses: list(1, endpointAddress, 'Addresses that are ready.'),
  notReadyAddresses: list(2, endpointAddress, 'Addresses that are not ready.'),
  ports: list(3, endpointPort, 'Their ports.'),
});
