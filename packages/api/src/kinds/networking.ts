import { builtIn, withStatus } from './built-in.ts';
import { age, orNone, text } from './columns/columns.ts';
import { firstFew, selectorText } from './columns/format.ts';
import { listAt, textAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import { ingressSpec, ingressStatus, networkPolicySpec } from './messages/networking.ts';

function hostsText(ingress: unknown): string {
  const hosts = listAt(ingress, 'spec', 'rules').map(rule => textAt(rule, 'host'));
  return firstFew(
    hosts.filter(host => host !== ''),
    '*',
  );
}

const addressesText = (ingress: unknown): string =>
  listAt(ingress, 'status', 'loadBalancer', 'ingress')
    .map(entry => textAt(entry, 'ip') || textAt(entry, 'hostname'))
    .join(',');

/** How requests from outside reach services. */
export const ingress = builtIn({
  group: 'networking.k8s.io',
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  scope: 'Namespaced',
  description: 'How requests from outside reach services.',
  fields: {
    spec: one(2, ingressSpec, 'The rules.'),
    status: one(3, ingressStatus, 'What became of it.'),
  },
  subresources: withStatus,
  columns: [
    text('Class', object => orNone(textAt(object, 'spec', 'ingressClassName'))),
    text('Hosts', hostsText),
    text('Address', addressesText),
    text('Ports', object => (listAt(object, 'spec', 'tls').length === 0 ? '80' : '80, 443')),
    age,
  ],
});

/** Which traffic some pods may have. */
export const networkPolicy = builtIn({
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  scope: 'Namespaced',
  description: 'Which traffic some pods may have.',
  fields: { spec: one(2, networkPolicySpec, 'The rules.') },
  columns: [text('Pod-Selector', object => selectorText(valueAt(object, 'spec', 'podSelector'))), age],
});
