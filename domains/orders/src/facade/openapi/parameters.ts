import type { JsonObject } from '@chandlery/api';

/** A parameter of a request. */
type Parameter = JsonObject & { readonly name: string };

const query = (name: string, description: string, schema: JsonObject = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const header = (name: string, description: string, schema: JsonObject = { type: 'string' }): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});

const flag: JsonObject = { type: 'boolean' };
const bytes: JsonObject = { type: 'integer', format: 'int64', minimum: 0 };

/** Query parameters and headers that routes share, by name. */
export const parameters: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  [
    query('limit', 'The number of items.', { type: 'integer', minimum: 1, maximum: 50, default: 10 }),
    query('page', 'A token of the link `next`. Every other parameter but `limit` is ignored.'),
    query('filter', "An expression such as `name ~= 'Scott%' && status == 'ready'`."),
    query('order-by', 'Columns, separated by commas. Default: the time of creation.'),
    query('order-desc', 'Whether the order is descending.', { type: 'boolean', default: true }),
    query('at-time', 'Reads what was at this time.', { type: 'string', format: 'date-time' }),
    query('search', 'Words that must be found; the best matches come first.'),
    query('force-create', 'Creates what is not there.', flag),
    query('entity', 'The URN of an entity.'),
    query('schema', 'The URN of a schema; in lists `%` stands for any text.'),
    query('policy', 'The URN of a policy.'),
    query('include-content', 'Whether items have their content.', flag),
    query('secret-name', 'The name of a secret.'),
    query('secret-type', 'The type of a secret; default `raw`.'),
    header('X-Name', 'A name for people.'),
    header('X-Collection', 'The URN or the name of a collection, which is created when it is not there.'),
    header('X-Policy', 'The URN of a policy.'),
    header('X-Content-Type', 'The type of content that is to come.'),
    header('X-Content-Length', 'The length of content that is to come.', bytes),
    header('Upload-Length', 'The length of an upload (TUS).', bytes),
    header('Upload-Offset', 'Where a piece belongs (TUS).', bytes),
    header('Tus-Resumable', 'The version of TUS, 1.0.0.'),
    header('Range', 'Which bytes to return.'),
  ].map(parameter => [parameter.name, parameter] as const),
);
