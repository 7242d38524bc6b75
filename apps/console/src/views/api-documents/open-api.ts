/** The parts of OpenAPI 3 that the page reads. Its texts may be of tenants. */
export interface OpenApi {
  readonly info?: { readonly title?: string; readonly description?: string };
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, ApiResponse>>;
    readonly requestBodies?: Readonly<Record<string, RequestBody>>;
  };
}

export interface PathItem extends Readonly<Partial<Record<Method, DocumentedOperation>>> {
  readonly parameters?: readonly Referable<Parameter>[];
}

export interface Reference {
  readonly $ref: string;
}

export type Referable<T> = T | Reference;

interface DocumentedOperation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Referable<Parameter>[];
  readonly requestBody?: Referable<RequestBody>;
  readonly responses?: Readonly<Record<string, Referable<ApiResponse>>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Referable<Schema>;
}

interface RequestBody {
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Content;
}

interface ApiResponse {
  readonly description?: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema?: Referable<Schema> }>>;

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Referable<Schema>>>;
  readonly items?: Referable<Schema>;
  readonly additionalProperties?: boolean | Referable<Schema>;
  readonly allOf?: readonly Referable<Schema>[];
  readonly oneOf?: readonly Referable<Schema>[];
  readonly anyOf?: readonly Referable<Schema>[];
}

export const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
export type Method = (typeof methods)[number];

/** Methods that change nothing: they are sent without asking. */
export const isSafe = (method: Method): boolean => ['get', 'head', 'options'].includes(method);

/** An operation with what its path says of it. */
export interface Operation {
  /** `get /path`. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly mediaType: string; readonly schema: Referable<Schema> | undefined } | undefined;
  readonly responses: readonly OperationResponse[];
}

export interface OperationResponse {
  readonly status: string;
  readonly description: string;
  readonly schema: Referable<Schema> | undefined;
}

/** The operations of a document in its order. */
export function operationsOf(document: OpenApi): readonly Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = item[method];
      return operation === undefined ? [] : [describe(document, { path, method, item, operation })];
    }),
  );
}

interface Found {
  readonly path: string;
  readonly method: Method;
  readonly item: PathItem;
  readonly operation: DocumentedOperation;
}

function describe(document: OpenApi, { path, method, item, operation }: Found): Operation {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].flatMap(
    each => resolved(document, each) ?? [],
  );
  const body = operation.requestBody && resolved(document, operation.requestBody);
  const content = body?.content && contentOf(body.content);
  const { summary = '', description = '', tags = [], responses = {} } = operation;
  return {
    id: `${method} ${path}`,
    method,
    path,
    tag: tags[0] ?? 'Other',
    summary: summary || (description.split('\n')[0] ?? ''),
    description: summary === '' ? '' : description,
    // The last of a name wins, as those of an operation replace those of its path.
    parameters: [...new Map(parameters.map(each => [`${each.in} ${each.name}`, each])).values()],
    body: body && { mediaType: content?.mediaType ?? 'application/json', schema: content?.schema },
    responses: Object.entries(responses).map(([status, found]) => {
      const response = resolved(document, found);
      return {
        status,
        description: response?.description ?? '',
        schema: response?.content && contentOf(response.content)?.schema,
      };
    }),
  };
}

/** JSON where there is a choice. */
function contentOf(content: Content) {
  const entries = Object.entries(content);
  const found = entries.find(([type]) => type === 'application/json') ?? entries[0];
  return found && { mediaType: found[0] === '*/*' ? 'application/json' : found[0], schema: found[1].schema };
}

const isReference = (value: object): value is Reference => typeof (value as Reference).$ref === 'string';

/** What a reference refers to within its document; undefined for one that leads nowhere. */
export function resolved<T extends object>(document: OpenApi, value: Referable<T>): T | undefined {
  let found: unknown = value;
  for (let depth = 0; depth < maxReferences; depth += 1) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (!isReference(found)) return found as T;
    found = partAt(document, found.$ref);
  }
  return undefined;
}

const maxReferences = 10;

function partAt(document: OpenApi, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let part: unknown = document;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined;
  }
  return part;
}

/** The name of what a reference refers to; undefined for what is written out. */
export const referenceName = (value: object | undefined): string | undefined =>
  value !== undefined && isReference(value) ? value.$ref.split('/').at(-1) : undefined;

/** A schema with those that it consists of, if it does. */
export function flattened(document: OpenApi, value: Referable<Schema> | undefined): Schema | undefined {
  const schema = value && resolved(document, value);
  if (schema?.allOf === undefined) return schema;
  const { allOf, ...own } = schema;
  const parts = allOf.flatMap(part => resolved(document, part) ?? []);
  return {
    ...Object.assign({}, ...parts),
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), own.properties) as Schema['properties'],
  } as Schema;
}

/** The type of a schema in a word or two. */
export function typeText(document: OpenApi, value: Referable<Schema> | undefined): string {
  const schema = flattened(document, value);
  if (schema === undefined) return 'anything';
  if (schema.enum !== undefined) return schema.enum.map(each => JSON.stringify(each)).join(' | ');
  const { type, items, oneOf, anyOf, format, additionalProperties } = schema;
  if (type === 'array' || items !== undefined) return `list of ${typeText(document, items)}`;
  const name = referenceName(value);
  if (name !== undefined) return name.split('.').at(-1) ?? name;
  const choices = oneOf ?? anyOf;
  if (choices !== undefined && type === undefined) return choices.map(each => typeText(document, each)).join(' or ');
  if (typeof additionalProperties === 'object') return `map of ${typeText(document, additionalProperties)}`;
  const word = type === undefined ? (schema.properties === undefined ? 'anything' : 'object') : String(type);
  return format === undefined ? word : `${word} (${format})`;
}
