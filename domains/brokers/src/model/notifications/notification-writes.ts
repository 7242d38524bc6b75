import type { JsonObject } from '@chandlery/api';
import { createRow, type NotificationRow, type RegistryWrite } from '../../registry/registry.ts';

/** Who caused a notification, and how its row comes to an id. */
export interface NotificationCause {
  readonly newId: () => string;
  /** Of the request that caused it. */
  readonly correlationId?: string;
}

/** A resource before or after a change. */
export interface ToldState {
  readonly resource: JsonObject;
  readonly additional?: JsonObject;
}

/** A notification that is to be. */
export interface NewNotification {
  readonly resource: NotificationRow['spec']['resource'];
  readonly type: NotificationRow['spec']['type'];
  readonly resourceId: string;
  readonly tenant: string;
  /** Undefined: every platform. */
  readonly platformIds: readonly string[] | undefined;
  readonly new?: ToldState;
  readonly old?: ToldState;
  readonly labelChanges?: readonly JsonObject[];
}

/** The store takes objects of one and a half megabytes; frames should stay well below. */
const maximumPayloadBytes = 900_000;

/** The row of a notification; none when there is nobody to be told. */
export function notificationWrites(
  told: NewNotification,
  { newId, correlationId }: NotificationCause,
): RegistryWrite[] {
  const { resource, type, resourceId, tenant, platformIds } = told;
  if (platformIds?.length === 0) return [];
  const spec = {
    resource,
    type,
    resourceId,
    payload: payloadOf(told),
    ...(platformIds === undefined ? {} : { platformIds: [...platformIds] }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  return [createRow({ table: 'notifications', id: newId(), tenant, spec, status: { ready: true } })];
}

/** Leaves out what receivers can do without when the payload becomes too long: first what was, then what is beside the resource. */
function payloadOf({ new: after, old: before, labelChanges = [] }: NewNotification): JsonObject {
  const payload = (newState = after, oldState = before): JsonObject => ({
    ...(newState === undefined ? {} : { new: { ...newState } }),
    ...(oldState === undefined ? {} : { old: { ...oldState } }),
    ...(labelChanges.length === 0 ? {} : { label_changes: [...labelChanges] }),
  });
  const oldAlone = before && { resource: before.resource };
  const newAlone = after && { resource: after.resource };
  const candidates = [payload(), payload(after, oldAlone)];
  return candidates.find(isShort) ?? payload(newAlone, oldAlone);
}

const isShort = (payload: JsonObject): boolean => Buffer.byteLength(JSON.stringify(payload)) <= maximumPayloadBytes;
