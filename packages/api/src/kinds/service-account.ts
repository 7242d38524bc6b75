import { builtIn, subresource } from './built-in.ts';
import { age, count } from './columns/columns.ts';
import { listAt } from './columns/read.ts';
import { list, optionalBool } from './message.ts';
import { localObjectReference, objectReference } from './messages/references.ts';

/** An identity for programs. */
export const serviceAccount = builtIn({
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'An identity for programs.',
  fields: {
    secrets: list(2, objectReference, 'Secrets that its pods may use.', { keys: ['name'], mergeKey: 'name' }),
    imagePullSecrets: list(3, localObjectReference, 'Secrets for pulling the images of its pods.'),
    automountServiceAccountToken: optionalBool(4, 'Whether its pods get a token.'),
  },
  subresources: {
    others: [subresource('token', { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, ['create'])],
  },
  columns: [count('Secrets', object => listAt(object, 'secrets').length), age],
});
