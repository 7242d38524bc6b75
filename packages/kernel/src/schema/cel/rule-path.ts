import type { StructuralSchema } from '@chandlery/api';

/** The names along a path such as `.spec['a.b'].c`; undefined when it is no path to a field of the schema. */
export function resolveFieldPath(path: string, schema: StructuralSchema): readonly string[] | undefined {
  const step = /\.([A-Za-z_$][A-Za-z0-9_$-]*)|\['((?:[^'\\]|\\['\\])+)'\]/y;
  const names: string[] = [];
  let current: StructuralSchema | undefined = schema;
  for (let position = 0; position < path.length; position = step.lastIndex) {
    step.lastIndex = position;
    const match = step.exec(path);
    if (match === null) return undefined;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    current = fieldOf(current, name);
    if (current === undefined) return undefined;
    names.push(name);
  }
  return names.length === 0 ? undefined : names;
}

function fieldOf(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
