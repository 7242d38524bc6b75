import { builtIn } from './built-in.ts';
import { age, text } from './columns/columns.ts';
import { textAt } from './columns/read.ts';
import { message, microTime, one, optionalInt32, optionalString } from './message.ts';

const leaseSpec = message('Who holds the lease, and how long.', {
  holderIdentity: optionalString(1, 'Who holds it.'),
  leaseDurationSeconds: optionalInt32(2, 'How long others wait after the last renewal.', { minimum: 1 }),
  acquireTime: microTime(3, 'When it was taken.'),
  renewTime: microTime(4, 'When it was renewed last.'),
  leaseTransitions: optionalInt32(5, 'How often it changed hands.', { minimum: 0 }),
  strategy: optionalString(6, 'How the holder is chosen.'),
  preferredHolder: optionalString(7, 'Who should hold it next.'),
});

/** A lock with a time limit. */
export const lease = builtIn({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  allowsCreateOnUpdate: true,
  plural: 'leases',
  scope: 'Namespaced',
  revisionDays: 0,
  keepsGeneration: false,
  description: 'A lock with a time limit.',
  fields: { spec: one(2, leaseSpec, 'Who holds the lease, and how long.') },
  columns: [text('Holder', object => textAt(object, 'spec', 'holderIdentity')), age],
});
