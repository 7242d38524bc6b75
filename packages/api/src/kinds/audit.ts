import { builtIn } from './built-in.ts';
import { count, text, wide } from './columns/columns.ts';
import { numberAt, textAt } from './columns/read.ts';
import { bool, int32, list, message, one, string, time } from './message.ts';

const auditCause = message('Why the landscape wrote by itself.', {
  component: string(1, 'The component that wrote.'),
  object: string(2, 'The object that it reconciled.'),
  user: string(3, 'The user whom it served.'),
  requestId: string(4, 'The request that it served.'),
});

const auditSpec = message('What was recorded.', {
  time: time(1, 'When.'),
  id: string(2, 'The id of the request; records of what it caused have the same.'),
  user: string(3, 'Who.'),
  groups: list(4, 'string', 'The groups of the user.'),
  impersonator: string(5, 'Who really asked, when acting as the user.'),
  sourceIp: string(6, 'From where. Empty for writes of the landscape itself.'),
  userAgent: string(7, 'With which program.'),
  cluster: string(8, 'The logical cluster.'),
  verb: string(9, 'create, update, patch, delete or deletecollection.'),
  group: string(10, 'API group of what was written.'),
  version: string(11, 'API version.'),
  resource: string(12, 'Plural name of the kind, or collection of a REST API.'),
  subresource: string(13, 'The part of the object.'),
  namespace: string(14, 'Its namespace.'),
  name: string(15, 'Its name.'),
  path: string(16, 'Of a request to a REST API.'),
  dryRun: bool(17, 'Whether nothing was to be kept.'),
  cause: one(18, auditCause, 'Why the landscape wrote by itself.'),
  code: int32(19, 'HTTP status of the response.'),
  reason: string(20, 'Of a rejection.'),
  outcome: string(21, 'succeeded, denied (no identity or no right) or failed.'),
  latencyMs: int32(22, 'How long it took.'),
});

const whatCell = (record: object): string =>
  [textAt(record, 'spec', 'resource'), textAt(record, 'spec', 'subresource')].filter(part => part !== '').join('/');

/** What a record says of the name: records of rejected creations have none. */
const objectCell = (record: object): string =>
  [textAt(record, 'spec', 'namespace'), textAt(record, 'spec', 'name')].filter(part => part !== '').join('/');

/** The fields of a record by which lists are filtered, under their short names. */
export const auditFields = [
  'user',
  'impersonator',
  'cluster',
  'verb',
  'group',
  'resource',
  'subresource',
  'namespace',
  'name',
  'code',
  'outcome',
] as const;

/**
 * A write as the audit log has it: read from the end of the file of the replica that is asked, not stored. On the platform
 * cluster alone, because it shows all others.
 */
export const auditRecord = builtIn({
  group: 'audit.chandlery.io',
  version: 'v1alpha1',
  kind: 'AuditRecord',
  plural: 'auditrecords',
  shortNames: ['audit'],
  scope: 'Cluster',
  servedIn: ['platform'],
  verbs: ['get', 'list'],
  keepsGeneration: false,
  revisionDays: 0,
  description: 'Who wrote what, when, on any cluster, and what came of it.',
  fields: { spec: one(2, auditSpec, 'What was recorded.') },
  selectableFields: auditFields.map(name => `.spec.${name}`),
  fieldAliases: Object.fromEntries(auditFields.map(name => [name, `spec.${name}`])),
  columns: [
    text('Time', record => textAt(record, 'spec', 'time')),
    text('User', record => textAt(record, 'spec', 'user')),
    text('Verb', record => textAt(record, 'spec', 'verb')),
    text('Resource', whatCell),
    text('Object', objectCell),
    text('Cluster', record => textAt(record, 'spec', 'cluster')),
    text('Outcome', record => textAt(record, 'spec', 'outcome')),
    count('Code', record => numberAt(record, 'spec', 'code')),
    wide(text('Reason', record => textAt(record, 'spec', 'reason'))),
    wide(text('From', record => textAt(record, 'spec', 'sourceIp'))),
    wide(text('Program', record => textAt(record, 'spec', 'userAgent'))),
  ],
});
