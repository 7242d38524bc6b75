const dotPrefix = 'urn:ivcap:schema.';
const colonPrefix = 'urn:ivcap:schema:';

/** Returns a schema name in the colon form; both spellings are in use. What authors gave is stored and echoed as it is. */
export const normalizeSchema = (schema: string): string =>
  schema.startsWith(dotPrefix) ? colonPrefix + schema.slice(dotPrefix.length) : schema;

/** Whether two names stand for the same schema. */
export const isSameSchema = (one: string, other: string): boolean => normalizeSchema(one) === normalizeSchema(other);

/** Returns the schema of a controller, normalised; undefined when it has none or it is no text. */
export function controllerSchemaOf(controller: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const schema = controller?.['$schema'];
  return typeof schema === 'string' && schema !== '' ? normalizeSchema(schema) : undefined;
}
