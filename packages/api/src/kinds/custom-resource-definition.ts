import { builtIn, withStatus } from './built-in.ts';
import { createdAt } from './columns/columns.ts';
import {
  bool,
  bytes,
  type Field,
  int32,
  list,
  message,
  one,
  optionalBool,
  optionalInt32,
  optionalString,
  string,
} from './message.ts';
import { jsonSchemaProtobuf } from './messages/json-schema-protobuf.ts';
import { condition } from './messages/meta.ts';

const names = message('What the kind and its resource are called.', {
  plural: string(1, 'Plural in lower case; part of the path.', { required: true }),
  singular: string(2, 'Singular in lower case; the kind by default.'),
  shortNames: list(3, 'string', 'Short names for the command line.'),
  kind: string(4, 'The kind, in CamelCase.', { required: true }),
  listKind: string(5, 'Kind of lists; the kind with List behind it by default.'),
  categories: list(6, 'string', 'Groups of resources that it belongs to, such as all.'),
});

const column = message('A column of tables.', {
  name: string(1, 'Title.', { required: true }),
  type: string(2, 'Type of the value.', { required: true, enum: ['boolean', 'date', 'integer', 'number', 'string'] }),
  format: string(3, 'Format of the value.'),
  description: string(4, 'What the column shows.'),
  priority: int32(5, 'Above 0: shown with -o wide only.'),
  jsonPath: string(6, 'Where the value is.', { required: true }),
});

const scale = message('Where the scale sub-resource finds its values.', {
  specReplicasPath: string(1, 'Wanted replicas.', { required: true }),
  statusReplicasPath: string(2, 'Replicas that are there.', { required: true }),
  labelSelectorPath: optionalString(3, 'Label selector, as a string.'),
});

const subresources = message('Sub-resources.', {
  status: one(1, message('No settings.', {}), 'Keeps status apart from the rest.'),
  scale: one(2, scale, 'Lets others scale the object.'),
});

/** Checked as a structural schema, not by a schema of schemas. */
const openAPIV3Schema: Field = {
  schema: {
    type: 'object',
    description: 'The schema, which must be structural.',
    'x-kubernetes-preserve-unknown-fields': true,
  },
  protobuf: { number: 1, type: jsonSchemaProtobuf },
};

const version = message('A version of the API.', {
  name: string(1, 'Name, such as v1alpha1.', { required: true }),
  served: optionalBool(2, 'Whether it can be asked for.', { required: true }),
  storage: optionalBool(3, 'Whether objects are stored in it; exactly one is.', { required: true }),
  schema: one(4, message('How objects look.', { openAPIV3Schema }), 'How objects look.'),
  subresources: one(5, subresources, 'Sub-resources.'),
  additionalPrinterColumns: list(6, column, 'Columns of tables; the age by default.'),
  deprecated: bool(7, 'Whether users are warned.'),
  deprecationWarning: optionalString(8, 'The warning that clients get.'),
  selectableFields: list(
    9,
    message('A field.', { jsonPath: string(1, 'Where the field is.', { required: true }) }),
    'Fields that field selectors may use.',
  ),
});

const serviceReference = message('A service.', {
  namespace: string(1, 'Its namespace.', { required: true }),
  name: string(2, 'Its name.', { required: true }),
  path: optionalString(3, 'Path of the request.'),
  port: optionalInt32(4, 'Its port.', { default: 443 }),
});

const webhook = message('How to call the webhook.', {
  clientConfig: one(
    2,
    message('Where the webhook is.', {
      service: one(1, serviceReference, 'A service.'),
      caBundle: bytes(2, 'Certificates to trust.'),
      url: optionalString(3, 'A URL.'),
    }),
    'Where the webhook is.',
  ),
  conversionReviewVersions: list(3, 'string', 'Versions of the review that it understands.', { required: true }),
});

const conversion = message('How objects change between versions.', {
  strategy: string(1, 'Just rename the version, or ask a webhook.', { required: true, enum: ['None', 'Webhook'] }),
  webhook: one(2, webhook, 'How to call the webhook.'),
});

const spec = message('A kind of objects.', {
  group: string(1, 'API group.', { required: true }),
  names: one(3, names, 'What it is called.', { required: true }),
  scope: string(4, 'In a namespace, or in the whole cluster.', { required: true, enum: ['Cluster', 'Namespaced'] }),
  versions: list(7, version, 'Versions of the API.', { required: true, minItems: 1 }),
  conversion: one(9, conversion, 'How objects change between versions.', { default: { strategy: 'None' } }),
  preserveUnknownFields: bool(10, 'Must be false; the schema says what is kept.'),
});

const crdCondition = condition('State of one aspect of the definition.', {
  lastTransitionTime: 3,
  reason: 4,
  message: 5,
});

const status = message('What became of the definition.', {
  conditions: list(1, crdCondition, 'States of the definition.', { keys: ['type'] }),
  acceptedNames: one(2, names, 'Names in use.'),
  storedVersions: list(3, 'string', 'Versions in which objects were ever stored.'),
});

/** Declares a kind at run time. */
export const customResourceDefinition = builtIn({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  description: 'Declares a kind at run time. Its name is the plural, a dot and the group.',
  fields: {
    spec: one(2, spec, 'The kind of objects.', { required: true }),
    status: one(3, status, 'What became of the definition.'),
  },
  subresources: withStatus,
  columns: [createdAt],
});
