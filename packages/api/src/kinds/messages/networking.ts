// Ingresses and network policies. Numbers and names as in Kubernetes 1.32.

import {
  inline,
  int32,
  list,
  message,
  one,
  optionalInt32,
  optionalIntOrString,
  optionalString,
  string,
} from '../message.ts';
import { labelSelector } from './meta.ts';
import { typedLocalObjectReference } from './references.ts';

/** A port of a service, by name or number. */
export const serviceBackendPort = message(
  'A port of a service, by name or number.',
  {
    name: string(1, 'Name of the port.'),
    number: int32(2, 'Number of the port.', { minimum: 0, maximum: 65535 }),
  },
  { atomic: true },
);

/** A service. */
export const ingressServiceBackend = message('A service.', {
  name: string(1, 'Name of the service.', { required: true }),
  port: one(2, serviceBackendPort, 'Its port.'),
});

/** Where requests go; exactly one is used. */
export const ingressBackend = message('Where requests go; exactly one is used.', {
  service: one(4, ingressServiceBackend, 'A service.'),
  resource: one(3, typedLocalObjectReference, 'Any other object of the namespace.'),
});

/** TLS for some hosts. */
export const ingressTLS = message('TLS for some hosts.', {
  hosts: list(1, 'string', 'Hosts of the certificate.'),
  secretName: string(2, 'Secret with the certificate.'),
});

/** A path and where it leads. */
export const httpIngressPath = message('A path and where it leads.', {
  path: string(1, 'The path.'),
  pathType: optionalString(3, 'How the path is compared.', {
    required: true,
    enum: ['Exact', 'ImplementationSpecific', 'Prefix'],
  }),
  backend: one(2, ingressBackend, 'Where it leads.', { required: true }),
});

/** Paths of a host. */
export const httpIngressRuleValue = message('Paths of a host.', {
  paths: list(1, httpIngressPath, 'The paths.', { required: true }),
});

/** Rules of one protocol. */
export const ingressRuleValue = message('Rules of one protocol.', {
  http: one(1, httpIngressRuleValue, 'HTTP.'),
});

/** Rules of a host. */
export const ingressRule = message('Rules of a host.', {
  host: string(1, 'The host; all by default. A first label of * stands for any.'),
  ingressRuleValue: inline(2, ingressRuleValue),
});

/** How requests from outside reach services. */
export const ingressSpec = message('How requests from outside reach services.', {
  ingressClassName: optionalString(4, 'Class of the controller that serves it.'),
  defaultBackend: one(1, ingressBackend, 'Where requests go that no rule matches.'),
  tls: list(2, ingressTLS, 'TLS settings.'),
  rules: list(3, ingressRule, 'Rules by host.'),
});

/** A port of a load balancer. */
export const ingressPortStatus = message('A port of a load balancer.', {
  port: optionalInt32(1, 'Port number.'),
  protocol: string(2, 'Protocol.'),
  error: optionalString(3, 'What went wrong.'),
});

/** An entry point of a load balancer. */
export const ingressLoadBalancerIngress = message('An entry point of a load balancer.', {
  ip: string(1, 'Its address.'),
  hostname: string(2, 'Its name.'),
  ports: list(4, ingressPortStatus, 'Its ports.'),
});

/** State of a load balancer. */
export const ingressLoadBalancerStatus = message('State of a load balancer.', {
  ingress: list(1, ingressLoadBalancerIngress, 'Its entry points.'),
});

/** State of an ingress. */
export const ingressStatus = message('State of an ingress.', {
  loadBalancer: one(1, ingressLoadBalancerStatus, 'State of the load balancer.'),
});

/** A range of addresses. */
export const ipBlock = message('A range of addresses.', {
  cidr: string(1, 'The range.', { required: true }),
  except: list(2, 'string', 'Ranges inside it that are left out.'),
});

/** A port or a range of ports. */
export const networkPolicyPort = message('A port or a range of ports.', {
  protocol: optionalString(1, 'Protocol.', { default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] }),
  port: optionalIntOrString(2, 'Port number or name; all by default.'),
  endPort: optionalInt32(3, 'Last port of a range.', { minimum: 1, maximum: 65535 }),
});

/** Who may talk. */
export const networkPolicyPeer = message('Who may talk.', {
  podSelector: one(1, labelSelector, 'Pods.'),
  namespaceSelector: one(2, labelSelector, 'Namespaces.'),
  ipBlock: one(3, ipBlock, 'Addresses.'),
});

/** Traffic that may come in. */
export const networkPolicyIngressRule = message('Traffic that may come in.', {
  ports: list(1, networkPolicyPort, 'To these ports; all by default.'),
  from: list(2, networkPolicyPeer, 'From these peers; all by default.'),
});

/** Traffic that may go out. */
export const networkPolicyEgressRule = message('Traffic that may go out.', {
  ports: list(1, networkPolicyPort, 'To these ports; all by default.'),
  to: list(2, networkPolicyPeer, 'To these peers; all by default.'),
});

/** Traffic of some pods. */
export const networkPolicySpec = message('Traffic of some pods.', {
  podSelector: one(1, labelSelector, 'The pods; all if empty.'),
  ingress: list(2, networkPolicyIngressRule, 'Traffic that may come in.'),
  egress: list(3, networkPolicyEgressRule, 'Traffic that may go out.'),
  policyTypes: list(4, 'string', 'Directions that are ruled.'),
});
