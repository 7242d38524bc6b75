import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { followObject } from '../landscape/follow-object.ts';

interface Deletion {
  /** The uid of the deleted object; another one of the same name is not waited for. */
  readonly uid?: string | undefined;
  readonly timeoutMs: number;
}

/** Waits until an object is deleted; what `onTimeout` makes of the finalizers that are left is thrown when it takes too long. */
export async function untilDeleted(
  client: Client,
  ref: ObjectRef,
  { uid, timeoutMs }: Deletion,
  onTimeout: (seconds: number, finalizers: readonly string[]) => Error,
): Promise<void> {
  let finalizers: readonly string[] = [];
  const isDone = (object: KubeObject | undefined): boolean => {
    finalizers = object?.metadata.finalizers ?? [];
    return object === undefined || (uid !== undefined && object.metadata.uid !== uid);
  };
  await until(client, ref, { isDone, timeoutMs }, seconds => onTimeout(seconds, finalizers));
}

interface Waiting {
  readonly isDone: (object: KubeObject | undefined) => boolean;
  readonly timeoutMs: number;
}

/** Follows an object until `isDone`; throws what `onTimeout` makes when it takes too long. */
export async function until(
  client: Client,
  ref: ObjectRef,
  { isDone, timeoutMs }: Waiting,
  onTimeout: (seconds: number) => Error,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    await followObject(client, ref, { isDone, signal });
  } catch (thrown) {
    throw signal.aborted ? onTimeout(timeoutMs / 1000) : thrown;
  }
}
