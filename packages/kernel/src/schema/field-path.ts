/** The way from the root to a value: names of fields, numbers of list items. */
export type FieldPath = (string | number)[];

/** As Kubernetes prints it: `spec.containers[0].image`. */
export function formatFieldPath(path: Readonly<FieldPath>): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}
