import { authored, type KubeObject } from '@chandlery/api';
import { parse, stringify } from 'yaml';

/** Fields of metadata that the server owns: they are not edited. */
const serverFields = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'generation',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

/** What people look for first comes first. */
const headFields = ['name', 'generateName', 'namespace', 'labels', 'annotations'];

/** The parts of an object in the order in which people write them. */
function inOrder({ apiVersion, kind, metadata, ...rest }: KubeObject): object {
  const { status, ...content } = rest as { readonly status?: unknown };
  const own = metadata as Readonly<Record<string, unknown>>;
  const names = [...headFields, ...Object.keys(own).filter(name => !headFields.includes(name))];
  const ordered = Object.fromEntries(names.flatMap(name => (name in own ? [[name, own[name]]] : [])));
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: ordered,
    ...content,
    ...(status !== undefined && { status }),
  };
}

const yamlOf = (object: KubeObject): string => stringify(inOrder(object), { lineWidth: 0 });

/** The whole object as people read it: without the bookkeeping of field owners. */
export function readableYaml(object: KubeObject): string {
  const { managedFields: _bookkeeping, ...metadata } = object.metadata;
  return yamlOf({ ...object, metadata });
}

/** The part of an object that its users write. */
export function editableYaml(object: KubeObject): string {
  const { metadata, status: _status, ...rest } = object as KubeObject & { readonly status?: unknown };
  const own = Object.fromEntries(Object.entries(metadata).filter(([name]) => !serverFields.has(name)));
  return yamlOf({ ...rest, metadata: own });
}

/** What authors can write of an object, as YAML: what versions are compared by. */
export const authoredYaml = (object: KubeObject): string => yamlOf(authored(object));

/**
 * The object that a text describes, as a replacement of the version that it was made from: writing it fails when there
 * is a later one. Throws for what is no object.
 */
export function replacementOf(text: string, { metadata: { resourceVersion, uid } }: KubeObject): KubeObject {
  const value: unknown = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('The text is no object');
  const object = value as KubeObject;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(uid !== undefined && { uid }),
    },
  };
}

/** Who has changed an object last. Undefined when it does not say. */
export function lastWriter({ metadata: { managedFields = [] } }: KubeObject): string | undefined {
  const timeOf = ({ time = '' }: { readonly time?: string }): string => time;
  return managedFields
    .filter(({ subresource = '' }) => subresource !== 'status')
    .toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)))[0]?.manager;
}
