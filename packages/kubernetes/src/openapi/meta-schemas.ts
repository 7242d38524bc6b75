import { describedRef, metaSchemaName, refTo } from './schema-name.ts';

const text = (description: string): object => ({ type: 'string', description });
const integer = (description: string, format = 'int64'): object => ({ type: 'integer', format, description });
const flag = (description: string): object => ({ type: 'boolean', description });
const texts = (description: string): object => ({ type: 'array', description, items: { type: 'string', default: '' } });
const textMap = (description: string): object => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string', default: '' },
});
const time = (description: string): object => describedRef(metaSchemaName('Time'), description);
const apiVersion = text('The group and version of the schema that this object follows.');
const kind = text('The kind of this object, in CamelCase; it cannot be changed.');

const objectMeta = {
  type: 'object',
  description: 'What every stored object says about itself.',
  properties: {
    annotations: textMap('Free data for tools. Not selectable; kept as it is given.'),
    creationTimestamp: time('When the object was created. Set by the server.'),
    deletionGracePeriodSeconds: integer(
      'How many seconds the object may take to go. Set together with deletionTimestamp.',
    ),
    deletionTimestamp: time(
      'When the object will be or was deleted; it is removed once it has no finalizers. Set by the server.',
    ),
    finalizers: {
      ...texts('Who still has to clean up before the object may go. Each removes its own entry.'),
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    generateName: text('The beginning of a name that the server completes, used when no name is given.'),
    generation: integer('Counts the changes of the desired state. Set by the server.'),
    labels: textMap('Keys and values by which objects are grouped and selected.'),
    managedFields: {
      type: 'array',
      description: 'Which manager owns which fields. Kept by the server.',
      items: refTo(metaSchemaName('ManagedFieldsEntry')),
      'x-kubernetes-list-type': 'atomic',
    },
    name: text('The name, unique among the objects of the kind within the namespace; it cannot be changed.'),
    namespace: text('The space within which the name is unique; empty for cluster-scoped kinds; it cannot be changed.'),
    ownerReferences: {
      type: 'array',
      description: 'The objects this one depends on; when all of them are deleted it is collected.',
      items: refTo(metaSchemaName('OwnerReference')),
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
    },
    resourceVersion: text('Opaque; changes with every write. Given back in an update, it guards against lost updates.'),
    selfLink: text('No longer filled in.'),
    uid: text('Unique over all objects and all times. Set by the server.'),
  },
};

const ownerReference = {
  type: 'object',
  description: 'Names an owner in the same namespace, or a cluster-scoped one.',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: { ...text('Group and version of the owner.'), default: '' },
    blockOwnerDeletion: flag('Whether the owner, when deleted in the foreground, waits for this object to go.'),
    controller: flag('Whether the owner is the managing controller; at most one is.'),
    kind: { ...text('Kind of the owner.'), default: '' },
    name: { ...text('Name of the owner.'), default: '' },
    uid: { ...text('UID of the owner.'), default: '' },
  },
  'x-kubernetes-map-type': 'atomic',
};

const managedFieldsEntry = {
  type: 'object',
  description: 'The fields that one manager owns through one operation.',
  properties: {
    apiVersion: text('The version in which the fields are named.'),
    fieldsType: text('The format of the field set; always FieldsV1.'),
    fieldsV1: describedRef(metaSchemaName('FieldsV1'), 'The field set.'),
    manager: text('Who manages the fields.'),
    operation: text('How they came to be managed: Apply or Update.'),
    subresource: text('The sub-resource through which they were written; empty for the object itself.'),
    time: time('When the entry changed last.'),
  },
};

const listMeta = {
  type: 'object',
  description: 'What a list says about itself.',
  properties: {
    continue: text('Where the next page begins; empty on the last one. Opaque.'),
    remainingItemCount: integer('How many more items follow, where that is known.'),
    resourceVersion: text('The version of the collection that the list shows; a watch may begin there.'),
    selfLink: text('No longer filled in.'),
  },
};

const status = {
  type: 'object',
  description: 'The outcome of a call that answers with no object.',
  properties: {
    apiVersion,
    code: integer('The HTTP status code; 0 if not set.', 'int32'),
    details: describedRef(metaSchemaName('StatusDetails'), 'More about what the outcome concerns.'),
    kind,
    message: text('A sentence for people.'),
    metadata: { ...describedRef(metaSchemaName('ListMeta'), 'Standard list metadata.'), default: {} },
    reason: text('A word for programs.'),
    status: text('Success or Failure.'),
  },
};

const statusDetails = {
  type: 'object',
  description: 'What an outcome concerns.',
  properties: {
    causes: {
      type: 'array',
      description: 'The single causes of a failure.',
      items: refTo(metaSchemaName('StatusCause')),
      'x-kubernetes-list-type': 'atomic',
    },
    group: text('The group of the resource.'),
    kind: text('The kind, or the plural, of the resource.'),
    name: text('The name of the object.'),
    retryAfterSeconds: integer('After how many seconds trying again makes sense.', 'int32'),
    uid: text('The UID of the object.'),
  },
};

const statusCause = {
  type: 'object',
  description: 'One cause of a failure.',
  properties: {
    field: text('The field at fault, as a path.'),
    message: text('A sentence for people.'),
    reason: text('A word for programs.'),
  },
};

const deleteOptions = {
  type: 'object',
  description: 'How to delete.',
  properties: {
    apiVersion,
    dryRun: { ...texts('All: try without keeping the outcome.'), 'x-kubernetes-list-type': 'atomic' },
    gracePeriodSeconds: integer('How many seconds the object may take to go; 0 means at once.'),
    kind,
    orphanDependents: flag('Older form of propagationPolicy: whether dependents are left alone.'),
    preconditions: describedRef(metaSchemaName('Preconditions'), 'What must hold for the deletion to happen.'),
    propagationPolicy: text('What becomes of dependents: Orphan, Background or Foreground.'),
  },
};

const preconditions = {
  type: 'object',
  description: 'What must hold for a call to be carried out.',
  properties: {
    resourceVersion: text('The version that the object must have.'),
    uid: text('The UID that the object must have.'),
  },
};

const schemas = {
  DeleteOptions: deleteOptions,
  FieldsV1: {
    type: 'object',
    description: 'A set of fields: one key per field, `f:<name>`, `k:<keys>`, `v:<value>`, `.` for the thing itself.',
  },
  ListMeta: listMeta,
  ManagedFieldsEntry: managedFieldsEntry,
  MicroTime: { type: 'string', format: 'date-time', description: 'RFC 3339 with microseconds.' },
  ObjectMeta: objectMeta,
  OwnerReference: ownerReference,
  Patch: { type: 'object', description: 'A change, in the format that the content type names.' },
  Preconditions: preconditions,
  Status: { ...status, 'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Status' }] },
  StatusCause: statusCause,
  StatusDetails: statusDetails,
  Time: { type: 'string', format: 'date-time', description: 'RFC 3339 with whole seconds.' },
};

/** Names of the two shared types that are no plain JSON type. */
export const quantityName = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
export const intOrStringName = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

/** The schemas that every document holds, by their published names. */
export const metaSchemas: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [metaSchemaName(name), schema])),
  [quantityName]: {
    description: 'An amount with an optional unit: 0.5, 500m, 2Gi.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
  [intOrStringName]: {
    description: 'A number, or a text such as a name or a percentage.',
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
};

/** The fields that every object has. */
export const typeMetaProperties: Readonly<Record<string, object>> = { apiVersion, kind };

/** A property that holds object metadata. */
export const objectMetaProperty: object = describedRef(metaSchemaName('ObjectMeta'), 'Standard object metadata.');

/** A property that holds list metadata. */
export const listMetaProperty: object = describedRef(metaSchemaName('ListMeta'), 'Standard list metadata.');
