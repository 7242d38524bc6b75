import type { JsonObject } from '@chandlery/api';
import { createRow, type NotificationRow, type RegistryWrite } from '../rows.ts';

/** Who caused a notification, and how its row comes to an id. */
export interface NotificationCause {
  readonly newId: () => string;
  /** Of the request that caused it. */
  readonly correlationId?: string;
}

/** A resource before or after a change. */
export interface NotifiedState {
  readonly resource: JsonObject;
  readonly additional?: JsonObject;
  /** Replacements for `additional` where it makes the payload too long, each shorter than the one before. Default: none. */
  readonly shorter?: readonly JsonObject[];
}

/** A notification that is to be. */
export interface NewNotification {
  readonly resource: NotificationRow['spec']['resource'];
  readonly type: NotificationRow['spec']['type'];
  readonly resourceId: string;
  readonly tenant: string;
  /** Undefined: every platform. */
  readonly platformIds: readonly string[] | undefined;
  readonly new?: NotifiedState;
  readonly old?: NotifiedState;
  readonly labelChanges?: readonly JsonObject[];
}

/** The store takes objects of one and a half megabytes; frames should stay well below. */
const maxPayloadBytes = 900_000;

/** The row of a notification; none when there is no receiver. */
export function notificationWrites(
  notified: NewNotification,
  { newId, correlationId }: NotificationCause,
): RegistryWrite[] {
  const { resource, type, resourceId, tenant, platformIds } = notified;
  if (platformIds?.length === 0) return [];
  const spec = {
    resource,
    type,
    resourceId,
    payload: payloadOf(notified),
    ...(platformIds === undefined ? {} : { platformIds: [...platformIds] }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  return [createRow({ table: 'notifications', id: newId(), tenant, spec, status: { ready: true } })];
}

/**
 * Shortens what is beside the resource until the payload fits, first of what was, then of what is. It is never left out
 * altogether: the agents of Peripli reject an event without it.
 */
function payloadOf({ new: after, old: before, labelChanges = [] }: NewNotification): JsonObject {
  const payload = (newLevel: number, oldLevel: number): JsonObject => ({
    ...(after === undefined ? {} : { new: stateAt(after, newLevel) }),
    ...(before === undefined ? {} : { old: stateAt(before, oldLevel) }),
    ...(labelChanges.length === 0 ? {} : { label_changes: [...labelChanges] }),
  });
  const levels = Math.max(after?.shorter?.length ?? 0, before?.shorter?.length ?? 0);
  for (let level = 0; level < levels; level++) {
    const fitting = [payload(level, level), payload(level, level + 1)].find(isShort);
    if (fitting !== undefined) return fitting;
  }
  return payload(levels, levels);
}

/** A state with what is beside the resource as it is (0), or shortened so far. */
function stateAt({ resource, additional, shorter = [] }: NotifiedState, level: number): JsonObject {
  const chosen = level === 0 ? additional : (shorter[level - 1] ?? shorter.at(-1) ?? additional);
  return { resource, ...(chosen === undefined ? {} : { additional: chosen }) };
}

const isShort = (payload: JsonObject): boolean => Buffer.byteLength(JSON.stringify(payload)) <= maxPayloadBytes;

/** The free-form fields of an offering or plan, which may be long. */
const longFields = new Set(['description', 'labels', 'tags', 'metadata', 'schemas']);

/** A view of an offering or plan without its free-form fields. */
export const bareView = (view: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(view).filter(([field]) => !longFields.has(field)));
