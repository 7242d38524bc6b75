import { type KubeObject, parseApiVersion } from '@chandlery/api';
import type { Client, ObjectRef, WriteOptions } from '@chandlery/client';

/** An object that should be there, and the plural under which it is served. */
export interface DesiredObject {
  readonly plural: string;
  readonly object: KubeObject;
}

export interface ApplyOptions extends Pick<WriteOptions, 'signal' | 'isDryRun'> {
  /** Takes fields that others own; without, such an object is a `Conflict`. Default true: one owner, no fight. */
  readonly force?: boolean;
}

/** Where an object is served. */
export function refOf({ plural, object }: DesiredObject): ObjectRef {
  const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: object.apiVersion };
  const { name = '', namespace } = object.metadata;
  return { group, version, plural, name, ...(namespace ? { namespace } : {}) };
}

/**
 * Server-side applies objects with one field owner, in order, and answers them as the server has them now. Fields that
 * the same manager applied before and leaves out now are removed; those of others stay.
 */
export async function apply(
  client: Pick<Client, 'patch'>,
  manager: string,
  objects: readonly DesiredObject[],
  options: ApplyOptions = {},
): Promise<KubeObject[]> {
  const { force = true, ...write } = options;
  const applied: KubeObject[] = [];
  for (const desired of objects) {
    const patch = { type: 'apply', body: desired.object, force } as const;
    applied.push(await client.patch(refOf(desired), patch, { ...write, fieldManager: manager }));
  }
  return applied;
}
