/** A parameter as OpenAPI describes it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: { readonly type: string; readonly uniqueItems: true };
}

const query = (name: string, type: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});
const path = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const dryRun = query('dryRun', 'string', 'All: go through all stages without keeping the outcome.');
const fieldManager = query('fieldManager', 'string', 'Who makes the change; required for apply.');
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict.',
);
const force = query('force', 'boolean', 'Apply only: take over fields that other managers own.');

const selection = [
  query('allowWatchBookmarks', 'boolean', 'Watch only: the server may send bookmarks.'),
  query('continue', 'string', 'Where the page begins, as the previous page said.'),
  query('fieldSelector', 'string', 'Restricts the list by fields.'),
  query('labelSelector', 'string', 'Restricts the list by labels.'),
  query('limit', 'integer', 'The most items to answer.'),
  query('resourceVersion', 'string', 'The version to read or to watch from.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Watch only: begin with the present objects, then a bookmark.'),
  query('timeoutSeconds', 'integer', 'After how many seconds the call ends, whatever it is doing.'),
];

const deletion = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'How many seconds the object may take to go; 0 means at once.'),
  query('orphanDependents', 'boolean', 'Older form of propagationPolicy.'),
  query('propagationPolicy', 'string', 'What becomes of dependents: Orphan, Background or Foreground.'),
];

/** Query parameters by what is done. */
export const parametersOf = {
  get: [query('resourceVersion', 'string', 'The least version to read.')],
  list: [...selection, query('watch', 'boolean', 'Follow the changes instead of listing.')],
  create: [dryRun, fieldManager, fieldValidation],
  update: [dryRun, fieldManager, fieldValidation],
  patch: [dryRun, fieldManager, fieldValidation, force],
  delete: deletion,
  deletecollection: [...selection, ...deletion],
} as const satisfies Record<string, readonly Parameter[]>;

/** Parameters of reading a container's log. */
export const logParameters: readonly Parameter[] = [
  query('container', 'string', 'Which container; needed when there are several.'),
  query('follow', 'boolean', 'Keep sending what is logged from now on.'),
  query('limitBytes', 'integer', 'The most bytes to answer.'),
  query('previous', 'boolean', 'The log of the previous run of the container.'),
  query('sinceSeconds', 'integer', 'Only what is younger than so many seconds.'),
  query('sinceTime', 'string', 'Only what is younger than this RFC 3339 time.'),
  query('tailLines', 'integer', 'Only so many lines from the end.'),
  query('timestamps', 'boolean', 'Begin each line with its time.'),
];

const pretty = query('pretty', 'string', 'true: indent the answer.');

/** The parameters that all methods of a path share. */
export const pathParameters = (owns: { readonly namespace: boolean; readonly name?: string }): readonly Parameter[] => [
  ...(owns.name === undefined ? [] : [path('name', `The name of the ${owns.name}.`)]),
  ...(owns.namespace ? [path('namespace', 'The namespace.')] : []),
  pretty,
];
