/** The name of a service, the same on all clusters of a mesh. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`. */
export type ServiceKey = string;

export const serviceKey = ({ namespace, name }: ServiceName): ServiceKey => `${namespace}/${name}`;

/** Returns undefined unless the text has two non-empty parts. */
export function parseServiceKey(text: string): ServiceName | undefined {
  const [namespace, name, more] = text.split('/');
  return namespace && name && more === undefined ? { namespace, name } : undefined;
}
