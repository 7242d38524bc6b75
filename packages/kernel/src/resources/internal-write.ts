import { type Cause, currentCause } from '@chandlery/platform';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';

/** A committed write that no client sent over HTTP: of a controller, of maintenance, or of a lens for its caller. */
export interface InternalWrite {
  readonly cluster: string;
  readonly verb: 'create' | 'update' | 'delete';
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: WriteOptions['user'];
  readonly fieldManager: string;
  readonly cause: Cause | undefined;
}

/** Reports a committed write, unless it was sent over HTTP: the lens reports those. */
export function reportWrite(
  { onInternalWrite }: ResourceDeps,
  { cluster, resource: { kind, version }, namespace, name }: Target,
  { user, fieldManager, isInternal }: WriteOptions,
  verb: InternalWrite['verb'],
): void {
  if (!isInternal || onInternalWrite === undefined) return;
  const { group, plural: resource } = kind;
  const cause = currentCause();
  onInternalWrite({
    cluster,
    verb,
    group,
    version: version.name,
    resource,
    namespace,
    name,
    user,
    fieldManager,
    cause,
  });
}
