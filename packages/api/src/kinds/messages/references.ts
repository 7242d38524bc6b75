// References from one object to another. Numbers and names as in Kubernetes 1.32.

import { inline, message, optionalBool, optionalString, quantity, string } from '../message.ts';

/** Points at an object, or at a part of one. */
export const objectReference = message(
  'Points at an object, or at a part of one.',
  {
    kind: string(1, 'Kind of the object.'),
    namespace: string(2, 'Namespace of the object.'),
    name: string(3, 'Name of the object.'),
    uid: string(4, 'UID of the object, to distinguish incarnations.'),
    apiVersion: string(5, 'API version of the object.'),
    resourceVersion: string(6, 'The version of the object that is meant.'),
    fieldPath: string(7, 'The part that is meant, such as spec.containers{web}.'),
  },
  { atomic: true },
);

/** Points at an object of the same namespace. */
export const localObjectReference = message(
  'Points at an object of the same namespace.',
  {
    name: string(1, 'Name of the object.'),
  },
  { atomic: true },
);

/** Points at a secret of any namespace. */
export const secretReference = message(
  'Points at a secret of any namespace.',
  {
    name: string(1, 'Name of the secret.'),
    namespace: string(2, 'Namespace of the secret.'),
  },
  { atomic: true },
);

/** Points at an object of a named kind in the same namespace. */
export const typedLocalObjectReference = message(
  'Points at an object of a named kind in the same namespace.',
  {
    apiGroup: optionalString(1, 'Group of the kind; none for the core group.'),
    kind: string(2, 'Kind of the object.', { required: true }),
    name: string(3, 'Name of the object.', { required: true }),
  },
  { atomic: true },
);

/** Points at an object of a named kind in any namespace. */
export const typedObjectReference = message('Points at an object of a named kind in any namespace.', {
  apiGroup: optionalString(1, 'Group of the kind; none for the core group.'),
  kind: string(2, 'Kind of the object.', { required: true }),
  name: string(3, 'Name of the object.', { required: true }),
  namespace: optionalString(4, 'Namespace of the object; none for the own one.'),
});

/** One key of a config map. */
export const configMapKeySelector = message(
  'One key of a config map.',
  {
    localObjectReference: inline(1, localObjectReference),
    key: string(2, 'The key to take.', { required: true }),
    optional: optionalBool(3, 'Whether the config map or its key may be missing.'),
  },
  { atomic: true },
);

/** One key of a secret. */
export const secretKeySelector = message(
  'One key of a secret.',
  {
    localObjectReference: inline(1, localObjectReference),
    key: string(2, 'The key to take.', { required: true }),
    optional: optionalBool(3, 'Whether the secret or its key may be missing.'),
  },
  { atomic: true },
);

/** One field of the pod itself. */
export const objectFieldSelector = message(
  'One field of the pod itself.',
  {
    apiVersion: string(1, 'API version that the path is written for.', { default: 'v1' }),
    fieldPath: string(2, 'The field, such as metadata.name or status.podIP.', { required: true }),
  },
  { atomic: true },
);

/** One request or limit of a container. */
export const resourceFieldSelector = message(
  'One request or limit of a container.',
  {
    containerName: string(1, 'The container; needed in volumes only.'),
    resource: string(2, 'The figure, such as limits.cpu.', { required: true }),
    divisor: quantity(3, 'Unit to express it in.', { default: '0' }),
  },
  { atomic: true },
);
