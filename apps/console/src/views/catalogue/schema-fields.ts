/** A JSON schema, as far as forms understand it. */
export interface FormSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: FormSchema;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly maxLength?: number;
}

/** A field of a form. */
export interface FormField {
  readonly path: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** `structure`: what the form has no field for; it is written as YAML. */
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'list' | 'structure';
  /** Of a choice. */
  readonly choices: readonly unknown[];
  readonly schema: FormSchema;
}

/** The fields of a schema, those of nested objects among them. */
export function fieldsOf(schema: FormSchema, path: readonly string[] = [], isInRequired = true): readonly FormField[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = [...path, name];
    const isRequired = isInRequired && required.has(name);
    if (typeOf(property) === 'object' && property.properties !== undefined) return fieldsOf(property, at, isRequired);
    return [
      {
        path: at,
        label: property.title ?? at.join('.'),
        description: property.description ?? '',
        isRequired,
        type: fieldType(property),
        choices: property.enum ?? [],
        schema: property,
      },
    ];
  });
}

/** Whether few orders need a field: an optional list, structure, or part of one. */
export const isFurther = ({ isRequired, path, type }: FormField): boolean =>
  !isRequired && (path.length > 1 || type === 'list' || type === 'structure');

/** A nullable type counts as its other type. */
const typeOf = ({ type }: FormSchema): string | undefined =>
  typeof type === 'string' ? type : type?.find(name => name !== 'null');

function fieldType(schema: FormSchema): FormField['type'] {
  if (schema.enum !== undefined) return 'choice';
  switch (typeOf(schema)) {
    case 'string':
      return 'text';
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return schema.items !== undefined && typeOf(schema.items) === 'string' ? 'list' : 'structure';
    default:
      return 'structure';
  }
}

export type FormValues = Readonly<Record<string, unknown>>;

/** The value at a path. */
export function valueAt(values: FormValues, path: readonly string[]): unknown {
  let found: unknown = values;
  for (const name of path) found = isMap(found) ? found[name] : undefined;
  return found;
}

/** The values with another one at a path; undefined removes it, and objects that become empty with it. */
export function withValue(values: FormValues, [name = '', ...rest]: readonly string[], value: unknown): FormValues {
  const { [name]: before, ...others } = values;
  const next = rest.length === 0 ? value : withValue(isMap(before) ? before : {}, rest, value);
  const isEmpty = next === undefined || (rest.length > 0 && isMap(next) && Object.keys(next).length === 0);
  return isEmpty ? others : { ...values, [name]: next };
}

/** The values that a form begins with. */
export const defaultsOf = (fields: readonly FormField[]): FormValues =>
  fields.reduce<FormValues>(
    (values, { path, schema }) => (schema.default === undefined ? values : withValue(values, path, schema.default)),
    {},
  );

/** The value that the text of a field means; undefined for an empty one. */
export function readField({ type }: Pick<FormField, 'type'>, text: string): unknown {
  if (text === '') return undefined;
  switch (type) {
    case 'number':
    case 'integer':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'list':
      return text.split('\n').filter(line => line !== '');
    default:
      return text;
  }
}

/** What is missing or impossible, as far as the form can say; the server checks everything. */
export function problemsIn(fields: readonly FormField[], values: FormValues): readonly string[] {
  return fields.flatMap(field => {
    const value = valueAt(values, field.path);
    if (value === undefined) return field.isRequired ? [`${field.label} is required`] : [];
    const isNumeric = field.type === 'number' || field.type === 'integer';
    if (isNumeric && typeof value !== 'number') return [`${field.label} must be a number`];
    if (field.type === 'integer' && !Number.isInteger(value)) return [`${field.label} must be a whole number`];
    return [];
  });
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
