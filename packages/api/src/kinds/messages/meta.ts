// What all objects share. Numbers and names as in Kubernetes 1.32.

import {
  bool,
  type Field,
  int64,
  json,
  list,
  type Message,
  map,
  message,
  one,
  optionalBool,
  optionalInt64,
  optionalString,
  string,
  time,
} from '../message.ts';

/** The object that another one belongs to. */
export const ownerReference = message(
  'The object that this one belongs to; when it is deleted, so is this one.',
  {
    apiVersion: string(5, 'API version of the owner.', { required: true }),
    kind: string(1, 'Kind of the owner.', { required: true }),
    name: string(3, 'Name of the owner.', { required: true }),
    uid: string(4, 'UID of the owner.', { required: true }),
    controller: optionalBool(6, 'Whether the owner is the one controller of the object.'),
    blockOwnerDeletion: optionalBool(7, 'Whether a foreground deletion of the owner waits for this object.'),
  },
  { atomic: true },
);

/** Who owns which fields. */
export const managedFieldsEntry = message('Fields of one manager.', {
  manager: string(1, 'Name of the manager.'),
  operation: string(2, 'Apply or Update.'),
  apiVersion: string(3, 'API version in which the fields are written.'),
  time: time(4, 'When the fields changed last.'),
  fieldsType: string(6, 'Format of the fields: FieldsV1.'),
  fieldsV1: json(7, 'The fields.'),
  subresource: string(8, 'Sub-resource that was used.'),
});

/** Metadata of every object. */
export const objectMeta = message('Name, labels and life of an object.', {
  name: string(1, 'Name, unique among the objects of a kind in a namespace; cannot be changed.'),
  generateName: string(2, 'Prefix of a name that the server makes up.'),
  namespace: string(3, 'Namespace of the object; empty for objects of the whole cluster.'),
  selfLink: string(4, 'Not used any more.'),
  uid: string(5, 'Unique in time and space; set by the server.'),
  resourceVersion: string(6, 'Version of the object, to notice changes; opaque.'),
  generation: int64(7, 'Grows when the desired state changes; set by the server.'),
  creationTimestamp: time(8, 'When the object was created; set by the server.'),
  deletionTimestamp: time(9, 'When the object was asked to go; set by the server.'),
  deletionGracePeriodSeconds: optionalInt64(10, 'Time for a clean end; set by the server.'),
  labels: map(11, 'string', 'Short values to select objects by.'),
  annotations: map(12, 'string', 'Values of any form, not to select by.'),
  ownerReferences: list(13, ownerReference, 'Objects that this one belongs to.', { keys: ['uid'], mergeKey: 'uid' }),
  finalizers: list(14, 'string', 'Who must agree before the object is deleted.', { set: true, mergeKey: '' }),
  managedFields: list(17, managedFieldsEntry, 'Who owns which fields; kept by the server.'),
});

/** A condition on a label. */
export const labelSelectorRequirement = message('A condition on a label.', {
  key: string(1, 'The label.', { required: true }),
  operator: string(2, 'How the values are compared.', {
    required: true,
    enum: ['DoesNotExist', 'Exists', 'In', 'NotIn'],
  }),
  values: list(3, 'string', 'Values to compare with.'),
});

/** A condition on a field. */
export const fieldSelectorRequirement = message('A condition on a field.', {
  key: string(1, 'The field.', { required: true }),
  operator: string(2, 'How the values are compared.', { required: true }),
  values: list(3, 'string', 'Values to compare with.'),
});

/** Chooses objects by label. */
export const labelSelector = message(
  'Chooses objects by label; all conditions must hold. An empty one chooses all.',
  {
    matchLabels: map(1, 'string', 'Labels with these very values.'),
    matchExpressions: list(2, labelSelectorRequirement, 'Further conditions.'),
  },
  { atomic: true },
);

const conditionHead = {
  type: string(1, 'What the condition is about.', { required: true }),
  status: string(2, 'True, False or Unknown.', { required: true }),
};

const conditionFields = {
  lastProbeTime: number => time(number, 'When it was looked at last.'),
  lastHeartbeatTime: number => time(number, 'When it was last updated.'),
  lastUpdateTime: number => time(number, 'When it was written last.'),
  lastTransitionTime: number => time(number, 'When the status changed last.'),
  reason: number => string(number, 'One CamelCase word for why.'),
  message: number => string(number, 'Why, for people.'),
} as const satisfies Record<string, (number: number) => Field>;

type ConditionField = keyof typeof conditionFields;

/** Conditions look alike in all kinds but for the numbers of their fields. */
export function condition(description: string, numbers: Readonly<Partial<Record<ConditionField, number>>>): Message {
  const fields: Record<string, Field> = { ...conditionHead };
  for (const [name, make] of Object.entries(conditionFields)) {
    const number = numbers[name as ConditionField];
    if (number !== undefined) fields[name] = make(number);
  }
  return message(description, fields);
}

/** The condition that newer kinds share. */
export const standardCondition = message('State of one aspect of the object.', {
  ...conditionHead,
  observedGeneration: int64(3, 'Generation that this is about.'),
  lastTransitionTime: time(4, 'When the status changed last.'),
  reason: string(5, 'One CamelCase word for why.'),
  message: string(6, 'Why, for people.'),
});

/** Which incarnation is meant. */
export const preconditions = message('What must hold for the deletion to happen.', {
  uid: optionalString(1, 'UID of the object.'),
  resourceVersion: optionalString(2, 'Version of the object.'),
});

/** The body of a deletion. */
export const deleteOptions = message('How to delete.', {
  gracePeriodSeconds: optionalInt64(1, "Time for a clean end; the kind's own by default."),
  preconditions: one(2, preconditions, 'What must hold.'),
  orphanDependents: optionalBool(3, 'Whether dependents stay. Deprecated: see propagationPolicy.'),
  propagationPolicy: optionalString(4, 'What becomes of dependents.', { enum: ['Background', 'Foreground', 'Orphan'] }),
  dryRun: list(5, 'string', 'All: change nothing, only say what would happen.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: bool(6, 'Delete what cannot be read any more. Not supported.'),
});
