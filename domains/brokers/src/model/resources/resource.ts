import type { JsonObject } from '@chandlery/api';
import type { QueryField } from '../query/compile-query.ts';
import type { Row } from '../rows.ts';
import { flag, text, time } from './schemas.ts';

/** The part of a row that a view reads. Rows that are about to be committed have it too. */
export type Viewed<R extends Row<{ spec: unknown; status?: unknown }>> = Pick<
  R,
  'id' | 'createdAt' | 'updatedAt' | 'spec' | 'status'
>;

/** How a request body sets a field. */
export interface FieldInput {
  /** The requests that document the field. Default: both. */
  readonly in?: 'create' | 'patch';
  /** The schema in request bodies. Default: that of the field. */
  readonly schema?: JsonObject;
  /** Whether a creation must have it; such a field cannot be cleared. Default: false. */
  readonly isRequired?: boolean;
  /** The key under which {@link readCreate} and {@link readPatch} return the value. Default: the handler reads the field. */
  readonly key?: string;
  /** Reads the field of a body and throws `BadRequest` for a wrong value. Needed with `key`. */
  readonly parse?: (body: JsonObject, field: string) => unknown;
  /** Reads the field of a PATCH where that differs; `ignored`: a PATCH does not change the field. Default: `parse`. */
  readonly parsePatch?: 'ignored' | ((body: JsonObject, field: string) => unknown);
}

/** One field of a REST resource: everything that views, queries, request bodies and the OpenAPI document know of it. */
export interface ResourceField<R> {
  readonly type: QueryField<R>['type'];
  /** The value of the field; undefined leaves it out of views and is null in queries. */
  readonly read: (row: R) => unknown;
  /** The schema in the OpenAPI document. Default: the document does not name the field. */
  readonly schema?: JsonObject;
  /** Whether views show the field. Default: true. */
  readonly isShown?: boolean;
  /** Whether only operators may query the field. Default: false. */
  readonly isForOperators?: boolean;
  /** How `fieldQuery` finds the field; false: it cannot. Default: by `read`, without an index. */
  readonly query?: false | Partial<Pick<QueryField<R>, 'index' | 'nullAs' | 'read'>>;
  /** Default: request bodies do not set the field. */
  readonly input?: FieldInput;
}

/** A REST resource, declared once. The order of the fields is the order in views. */
export interface Resource<R> {
  readonly fields: Readonly<Record<string, ResourceField<R>>>;
  /** Fields of the OpenAPI document that no row has: secrets shown once, and input that is not stored as it is. */
  readonly extraSchemas?: Readonly<Record<string, JsonObject>>;
  /** Input fields that are never shown. */
  readonly inputOnly?: Readonly<Record<string, { readonly schema: JsonObject; readonly input: FieldInput }>>;
  /** The requests that the resource accepts. Default: none. */
  readonly accepts?: { readonly create?: 'with-id' | 'without-id'; readonly patch?: boolean };
}

interface CommonRow {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly spec: { readonly labels?: Readonly<Record<string, readonly string[]>> };
  readonly status: { readonly ready?: boolean };
}

/** The fields of every resource. Labels have queries of their own. */
const commonFields: Readonly<Record<string, ResourceField<CommonRow>>> = {
  id: { type: 'string', read: row => row.id, schema: text },
  ready: { type: 'boolean', read: row => row.status.ready ?? false, schema: flag },
  created_at: { type: 'date', read: row => row.createdAt, schema: time },
  updated_at: { type: 'date', read: row => row.updatedAt, schema: time },
  labels: { type: 'json', read: row => labelsOf(row), query: false },
};

const labelsOf = ({ spec: { labels } }: CommonRow) =>
  labels === undefined || Object.keys(labels).length === 0 ? undefined : labels;

/** Declares a resource: adds the fields that all resources have. */
export const defineResource = <R extends CommonRow>(resource: Resource<R>): Resource<R> => ({
  ...resource,
  fields: { ...(commonFields as Readonly<Record<string, ResourceField<R>>>), ...resource.fields },
});

/** The function that shows a row of a resource as JSON. */
export function viewOf<R>({ fields }: Resource<R>): (row: R) => JsonObject {
  const shown = Object.entries(fields).filter(([, { isShown = true }]) => isShown);
  return row => {
    const view: JsonObject = {};
    for (const [name, { read }] of shown) {
      const value = read(row);
      if (value !== undefined) view[name] = value as JsonObject[string];
    }
    return view;
  };
}

/** The fields of a resource that `fieldQuery` knows. */
export function queryFieldsOf<R>({ fields }: Resource<R>): Readonly<Record<string, QueryField<R>>> {
  const entries = Object.entries(fields).flatMap(([name, { type, read, query = {} }]) =>
    query === false ? [] : [[name, { type, read, ...query } as QueryField<R>]],
  );
  return Object.fromEntries(entries) as Readonly<Record<string, QueryField<R>>>;
}

/** The fields that only operators may query. */
export const operatorFieldsOf = <R>({ fields }: Resource<R>): readonly string[] =>
  Object.keys(fields).filter(name => fields[name]?.isForOperators);

/** The values that the body of a creation gives, by their keys. Throws `BadRequest`. */
export function readCreate(resource: Resource<never>, body: JsonObject): Record<string, unknown> {
  const entries = inputsOf(resource).flatMap(([name, { key, parse, in: where = 'create' }]) =>
    key === undefined || parse === undefined || where !== 'create' ? [] : [[key, parse(body, name)] as const],
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The values that a PATCH changes, by their keys; null clears an optional field. Throws `BadRequest`. */
export function readPatch(resource: Resource<never>, body: JsonObject): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const [name, { key, parse, parsePatch = parse, isRequired = false, in: where = 'patch' }] of inputsOf(
    resource,
  )) {
    if (key === undefined || where !== 'patch' || body[name] === undefined) continue;
    if (parsePatch === undefined || parsePatch === 'ignored') continue;
    changes[key] = body[name] === null && !isRequired ? null : parsePatch(body, name);
  }
  return changes;
}

/** All fields that request bodies may have. */
export const inputsOf = ({ fields, inputOnly = {} }: Resource<never>): (readonly [string, FieldInput])[] =>
  Object.entries({ ...fields, ...inputOnly }).flatMap(([name, { input }]) =>
    input === undefined ? [] : [[name, input] as const],
  );

interface NamedRow {
  readonly id: string;
  readonly spec: { readonly name?: string };
}

/** The field of a name that defaults to the id of the row. */
export const nameField = (input: FieldInput): ResourceField<NamedRow> => ({
  type: 'string',
  read: ({ id, spec }) => spec.name ?? id,
  schema: text,
  query: { index: 'name' },
  input,
});
